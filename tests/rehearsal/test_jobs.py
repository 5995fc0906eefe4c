"""Jobs of the probes."""

import kubernetes_validate

from gpu_blueprint.config import Pool, StackConfig, Tenant
from gpu_blueprint.rehearsal.jobs import build_probe_job, send_job
from gpu_blueprint.rehearsal.outcome import Fate
from gpu_blueprint.rehearsal.pods import PROBE_LABEL
from gpu_blueprint.rehearsal.stage import Stage
from lab.kube import RefusedError

from ..support.fake_queues import FakeQueueLab
from ..support.two_teams import build_two_teams


def pick() -> tuple[StackConfig, Tenant, Pool]:
    """Return the stack, and the tenant red with its queued pool."""
    stack = build_two_teams()
    return stack, stack.tenants[0], stack.queued_pools[0]


def play(verdict: dict[str, str] | RefusedError) -> list[tuple[Fate, str]]:
    """Return the fates of a Job of two pods, and their reasons."""
    stage = Stage(FakeQueueLab(lambda _: verdict).as_lab())
    return [(pod.fate, pod.reason) for pod in send_job(build_probe_job(*pick(), "in", pods=2), stage).pods]


def test_all_pods_of_a_job_start_at_once_and_are_taken_away_by_their_label() -> None:
    job = build_probe_job(*pick(), "in", pods=3)
    kubernetes_validate.validate(job, "1.36", strict=True)
    assert (job["metadata"]["name"], job["metadata"]["namespace"]) == ("red-in-train", "red")
    spec = job["spec"]
    assert (spec["parallelism"], spec["completions"]) == (3, 3)
    assert all(part["metadata"]["labels"][PROBE_LABEL] == "true" for part in (job, spec["template"]))
    assert not {"nodeSelector", "tolerations"} & set(spec["template"]["spec"])
    assert spec["template"]["spec"]["restartPolicy"] == "Never"


def test_the_pods_of_a_job_that_starts_are_followed() -> None:
    assert play({"Admitted": "True"}) == [(Fate.RUNS, "")] * 2


def test_a_job_that_waits_stands_for_its_pods() -> None:
    assert play({"QuotaReserved": "False"}) == [(Fate.WAITS, "the message of QuotaReserved")]


def test_a_job_without_a_reason_is_unclear() -> None:
    ((fate, reason),) = play({})
    assert fate is Fate.UNCLEAR and "Kueue gives no reason" in reason


def test_a_job_that_a_rule_refuses_is_refused() -> None:
    assert play(RefusedError(422, "job is forbidden: too large")) == [(Fate.REFUSED, "job is forbidden: too large")]
    assert play(RefusedError(500, "failed calling webhook")) == [(Fate.UNCLEAR, "failed calling webhook")]
