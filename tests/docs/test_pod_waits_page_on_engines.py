"""docs/my-pod-waits.md on real engines: the commands of the page print what the page shows."""

import os
import re
import shlex
import subprocess
from typing import Any

import pytest

from gpu_blueprint.docs.pod_waits_page import list_causes
from gpu_blueprint.rehearsal.runner import load_platform
from lab.engines import find_engine
from lab.lab import Lab
from lab.storage_drivers import StorageDrivers

from ..support.engine_rehearsals import open_lab
from ..support.plans import STACKS
from ..support.processes import PATIENCE_S, wait_for

pytestmark = pytest.mark.lab
KUBELET = {"The image cannot be pulled", "The container runs and is not ready"}
"""Causes that only a kubelet shows, and no kubelet runs here."""
_CHANGING = re.compile(r"…|\d+(ms|s|m)|\d+m\d+s|.*-[a-z0-9]{5}\"?,?|.*-[a-z0-9]{9,10}|ip-.*|g6e\..*|us-east-1.")
"""Words that another run prints otherwise: ages, generated names, addresses, the offers that Karpenter tried first."""
Words = set[str]


def list_words(text: str) -> Words:
    """Return the words that each run prints, also those inside JSON."""
    return {word for word in re.split(r"[\s{},;]+", text) if word and not _CHANGING.fullmatch(word)}


def run_command(lab: Lab, title: str) -> str:
    """Run the command of the page for a cause."""
    (cause,) = (cause for cause in list_causes() if cause.title == title)
    kubectl, *words = shlex.split(cause.command)
    assert kubectl == "kubectl"
    environment = {**os.environ, "KUBECONFIG": str(lab.plane.kubeconfig)}
    command = [str(find_engine(kubectl)), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    return done.stdout


def wait_until_shown(lab: Lab, title: str) -> None:
    """Wait until the command of a cause prints every word that the page shows."""
    (cause,) = (cause for cause in list_causes() if cause.title == title)
    wanted, shown = list_words(cause.output), [""]

    def look() -> bool:
        shown[0] = run_command(lab, title)
        return wanted <= list_words(shown[0])

    try:
        wait_for(look)
    except AssertionError:
        pytest.fail(f"{title}: {sorted(wanted - list_words(shown[0]))} missing in\n{shown[0]}")


def build_pod(name: str, pool: str | None, resource: str = "nvidia.com/gpu", cpu: str = "1", gpus: int = 1) -> Any:
    resources = {"requests": {"cpu": cpu, "memory": "4Gi"}, "limits": {"memory": "4Gi", resource: str(gpus)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "serving"},
        "spec": {
            **({"nodeSelector": {"gpu-blueprint/pool": pool}} if pool else {}),
            "containers": [{"name": "main", "image": "docker.io/vllm/vllm-openai:v0.31.0", "resources": resources}],
        },
    }


def build_deployment(name: str, pod: Any, replicas: int) -> Any:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "serving"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": pod["spec"]},
        },
    }


def build_job(name: str) -> Any:
    spec = {**build_pod(name, None, gpus=8)["spec"], "restartPolicy": "Never"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "training"},
        "spec": {"parallelism": 3, "completions": 3, "template": {"spec": spec}},
    }


def limit_pool(lab: Lab, limits: dict[str, str | None]) -> None:
    lab.kube.patch("karpenter.sh/v1", "NodePool", "infer-a10g", {"spec": {"limits": limits}})


def test_the_commands_of_the_page_print_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    with open_lab(STACKS / "Pulumi.prod.yaml") as (lab, _):

        def expect(title: str) -> None:
            wait_until_shown(lab, title)
            seen.append(title)

        assert load_platform(lab, lambda _: None) == []
        lab.kube.apply(build_deployment("api", build_pod("api", None), 1))
        expect("Admission refuses the pod")
        lab.kube.delete("apps/v1", "Deployment", "api", "serving")
        for name in ("run-1", "run-2"):
            lab.kube.apply(build_job(name))
        expect("The Job waits in its queue")
        lab.kube.apply(build_deployment("full", build_pod("full", "infer-a10g"), 16))
        expect("The tenant's quota is used up")
        expect("The pool is at maxGpus")
        limit_pool(lab, {"cpu": "0"})
        expect("The pool is closed")
        limit_pool(lab, {"cpu": None, "nvidia.com/gpu": "32"})
        lab.kube.delete("apps/v1", "Deployment", "full", "serving")
        wait_for(lambda: not lab.kube.list("v1", "Pod", "serving", "app=full"))
        lab.kube.apply(build_pod("api", "infer-a10g", cpu="300"))
        expect("No pool fits the pod")
        expect("A volume is missing or not mounted")
        monkeypatch.setattr(StorageDrivers, "serve", lambda drivers: None)
        lab.kube.apply(build_pod("slow", "infer-l4", "nvidia.com/gpu.shared"))
        expect("The node is not ready yet")
        lab.aws.faults.insufficient.add("*")
        lab.kube.apply(build_deployment("large", build_pod("large", "infer-l40s"), 2))
        expect("EC2 has no capacity")
    assert {*seen} == {cause.title for cause in list_causes()} - KUBELET
