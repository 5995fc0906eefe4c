"""A rehearsal of queues on real engines: the parts of the teams, and the Job that `explain` prints."""

from collections.abc import Iterator

import pytest

from gpu_blueprint.config import StackConfig
from gpu_blueprint.rehearsal.cleaning import clean
from gpu_blueprint.rehearsal.jobs import list_job_pods
from gpu_blueprint.rehearsal.runner import list_probes, load_platform, run_probes
from gpu_blueprint.rehearsal.snapshot import is_running
from gpu_blueprint.rehearsal.stage import Stage
from gpu_blueprint.summary.jobs import build_first_job
from lab.lab import Lab

from ..support.engine_rehearsals import open_lab
from ..support.plans import STACKS

pytestmark = pytest.mark.lab
_ASKED = ("queues", "in-a100-train", "bare-a100-train", "over-a100-train", "foreign-a100-train")


@pytest.fixture(scope="module")
def opened() -> Iterator[tuple[Lab, StackConfig]]:
    """The lab of research with its platform, which queues the pool a100-train."""
    with open_lab(STACKS / "Pulumi.research.yaml") as (lab, config):
        assert load_platform(lab, lambda _: None) == []
        yield lab, config


@pytest.mark.lab_core
def test_queues_keep_what_the_preview_promises(opened: tuple[Lab, StackConfig]) -> None:
    lab, config = opened
    probes = [probe for probe in list_probes(config) if probe.name.endswith(_ASKED)]
    results = {result.probe: result for result in run_probes(Stage(lab), probes, lambda _: None)}
    assert {name: result.difference for name, result in results.items() if not result.is_as_expected} == {}
    assert len(results) == 8
    notes = results["a100-train/queues"].outcome.notes
    parts = [note.partition(" after ")[0] for note in notes]
    assert parts == ["vision 16", "vision 8 + language 8", "1 Job of vision stopped (InCohortReclamation)"]


def test_the_printed_job_of_each_team_runs(opened: tuple[Lab, StackConfig]) -> None:
    lab, config = opened
    stage = Stage(lab)
    clean(stage)  # the load of the test before fills the pool
    (pool,) = config.queued_pools
    for tenant in (tenant for tenant in config.tenants if tenant.may_use(pool.name)):
        job = build_first_job(config, tenant, pool)
        lab.kube.impersonate(f"someone-of-{tenant.name}", f"tenant-{tenant.name}").create(job)
        assert stage.wait_until(lambda _, job=job: any(map(is_running, list_job_pods(stage, job))))  # type: ignore[misc]
        lab.kube.delete("batch/v1", "Job", job["metadata"]["name"], tenant.namespace_name)
