"""Questions about time: a spot interruption, headroom, and the hours of a pool."""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from typing import Any

from lab.engines import find_engine

from ..catalog import namespaces
from ..config import Pool, StackConfig
from ..sharing import POOL_KEY
from .expectations import expect_note
from .outcome import Fate, Outcome
from .pods import NAMESPACE, build_deployment, build_gpu_pod
from .pool_probes import find_least
from .probe import Phase, Probe
from .stage import PROBE_LABEL, Stage

_APP = "app.kubernetes.io/name"
_CLAIM = ("karpenter.sh/v1", "NodeClaim")


def list_change_probes(config: StackConfig) -> Iterator[Probe]:
    """Yield the questions that a change of time answers, for every pool that has them."""
    for pool in config.pools:
        if pool.static_nodes:
            continue
        if "spot" in pool.purchase:
            yield _interrupt(config, pool)
        if pool.headroom:
            yield _take_headroom(config, pool)
        if pool.hours:
            yield _close(config, pool)


def _make(pool: Pool, name: str, title: str, note: str, play: Any) -> Probe:
    return Probe(
        name=f"{pool.name}/{name}",
        subject=f"pool {pool.name}",
        title=title,
        phase=Phase.CHANGES,
        expected=expect_note(note, note, pool.name),
        play=play,
        alone_in=frozenset({pool.name}),
    )


def _interrupt(config: StackConfig, pool: Pool) -> Probe:
    """Send a spot warning for the node of a Deployment's pod; the pod must come back on another node."""
    pod = build_gpu_pod(config, pool, f"{pool.name}-interrupted")
    deployment = build_deployment(pod)
    note = "the pod comes back on another node"

    def play(stage: Stage) -> Outcome:
        first = _deploy(stage, deployment)
        landing = first.pods[0].landing if first.pods else None
        if landing is None or landing.purchase != "spot":
            return Outcome(pods=first.pods, seconds=first.seconds, notes=("no spot node to interrupt",))
        start = time.monotonic()
        node = stage.look().nodes[landing.node]
        stage.lab.aws.send_interruption(node["spec"]["providerID"].rpartition("/")[2])
        back = stage.wait_until(lambda _: _runs_elsewhere(stage, deployment, landing.node))
        second = _read_deployment(stage, deployment, start)
        return Outcome(pods=second.pods, seconds=time.monotonic() - start, notes=(note,) if back else ())

    return _make(pool, "interruption", "a spot node gets its two-minute warning", note, play)


def _deploy(stage: Stage, deployment: Mapping[str, Any]) -> Outcome:
    """Create a Deployment of one replica and wait for the fate of its pod."""
    start = time.monotonic()
    stage.lab.kube.create(deployment)
    stage.wait_until(lambda _: bool(_list_replicas(stage, deployment)))
    return _read_deployment(stage, deployment, start)


def _read_deployment(stage: Stage, deployment: Mapping[str, Any], start: float) -> Outcome:
    return stage.follow(_list_replicas(stage, deployment), start)


def _list_replicas(stage: Stage, deployment: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    place = deployment["metadata"]
    return stage.list_pods(place["namespace"], {_APP: place["name"]})


def _runs_elsewhere(stage: Stage, deployment: Mapping[str, Any], node: str) -> bool:
    """Return whether the replica runs on another node than before."""
    return any(
        pod["status"].get("phase") == "Running" and pod["spec"].get("nodeName") != node
        for pod in _list_replicas(stage, deployment)
    )


def _take_headroom(config: StackConfig, pool: Pool) -> Probe:
    """Let a pod take the place of a placeholder: it must start on the warm node, and the placeholder must come back."""
    headroom = pool.headroom
    assert headroom is not None  # noqa: S101  list_change_probes has looked
    units = pool.profile.units
    limits = {units[unit]: count for unit, count in pool.count_by_unit(headroom.gpus).items() if count}
    pod = build_gpu_pod(config, pool, f"{pool.name}-warm", limits or find_least(pool))
    size = {"cpu": headroom.cpu, "memory": headroom.memory}
    for kind in pod["spec"]["containers"][0]["resources"].values():
        kind.update(size)
    note = "the pod starts on a warm node"

    def play(stage: Stage) -> Outcome:
        set_placeholders(stage, pool, headroom.pods)
        warm = stage.wait_until(lambda _: _count_warm(stage, pool) == headroom.pods)
        nodes = set(stage.look().nodes)
        outcome = stage.send([pod])
        landed = {node.node for node in outcome.list_nodes()}
        again = stage.wait_until(lambda _: _count_warm(stage, pool) == headroom.pods)
        seen = (note,) if warm and landed <= nodes else ()
        back = ("the placeholder comes back",) if again else ("the placeholder does not come back",)
        set_placeholders(stage, pool, 0)
        return Outcome(pods=outcome.pods, seconds=outcome.seconds, notes=(*seen, *back))

    return _make(pool, "headroom", "a pod takes the headroom", note, play)


def set_placeholders(stage: Stage, pool: Pool, replicas: int) -> None:
    """Set the number of a pool's placeholders; the rehearsal keeps them at 0 while other probes judge nodes."""
    stage.lab.kube.patch(
        "apps/v1", "Deployment", pool.name, {"spec": {"replicas": replicas}}, namespace=namespaces.HEADROOM
    )


def _count_warm(stage: Stage, pool: Pool) -> int:
    """Return the number of placeholders that run."""
    placeholders = stage.list_pods(namespaces.HEADROOM, {POOL_KEY: pool.name})
    return sum(pod["status"].get("phase") == "Running" for pod in placeholders)


def _close(config: StackConfig, pool: Pool) -> Probe:
    """Do as the CronJobs do: close the pool, see its nodes go and a pod wait; open it, and see the pod run."""
    early = build_gpu_pod(config, pool, f"{pool.name}-before-closing")
    late = build_gpu_pod(config, pool, f"{pool.name}-while-closed")
    note = "nothing starts while closed, all starts again"

    def play(stage: Stage) -> Outcome:
        start = time.monotonic()
        stage.send([early])
        run_cron_job(stage, f"hours-close-{pool.name}")
        gone = pool.finishes_jobs or stage.wait_until(lambda _: not _list_claims(stage, pool))
        closed = stage.send([late])
        run_cron_job(stage, f"hours-open-{pool.name}")
        stage.wait_until(lambda _: _runs(stage, late["metadata"]["name"]))
        opened = stage.follow([late], start)
        waited = closed.pods[0].fate is Fate.WAITS
        return Outcome(pods=opened.pods, seconds=time.monotonic() - start, notes=(note,) if gone and waited else ())

    return _make(pool, "hours", "the pool closes and opens", note, play)


def _list_claims(stage: Stage, pool: Pool) -> list[dict[str, Any]]:
    return stage.lab.kube.list(*_CLAIM, labels=f"karpenter.sh/nodepool={pool.name}")


def _runs(stage: Stage, name: str) -> bool:
    pods = stage.list_pods(NAMESPACE, {PROBE_LABEL: "true"})
    return any(pod["metadata"]["name"] == name and pod["status"].get("phase") == "Running" for pod in pods)


def run_cron_job(stage: Stage, name: str) -> None:
    """Run the containers of a rendered CronJob, which call kubectl, with the lab's kubectl, in order."""
    cron_job = next(job for job in stage.lab.scene.list_kind("CronJob") if job["metadata"]["name"] == name)
    spec = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    environment = {"KUBECONFIG": str(stage.lab.plane.kubeconfig), "HOME": os.environ.get("HOME", "/")}
    for container in (*spec.get("initContainers", []), *spec["containers"]):
        command = [str(find_engine("kubectl")), *container["args"]]
        subprocess.run(  # noqa: S603  the command is kubectl with the arguments of our own CronJob
            command, env=environment, check=True, capture_output=True, timeout=60
        )
