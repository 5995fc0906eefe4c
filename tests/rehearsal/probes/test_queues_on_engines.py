"""A rehearsal of queues on real engines: the parts of the teams, and the Jobs that commands print."""

import pytest

from gpu_blueprint.explain.queues.jobs import build_first_job
from gpu_blueprint.rehearsal.cleaning import clean
from gpu_blueprint.rehearsal.jobs import list_job_pods
from gpu_blueprint.rehearsal.snapshot import is_running
from gpu_blueprint.rehearsal.stage import Stage

from ...support.engine_rehearsals import Rehearsed
from ...support.training_lab import TrainingLab

pytestmark = [pytest.mark.lab, pytest.mark.lab_core, pytest.mark.xdist_group("rehearsal of research")]
_ASKED = ("queues", "in-a100-train", "bare-a100-train", "over-a100-train", "foreign-a100-train")


def test_queues_keep_what_the_preview_promises(research: Rehearsed) -> None:
    results = {result.probe: result for result in research.found.results if result.probe.endswith(_ASKED)}
    assert {name: result.difference for name, result in results.items() if not result.is_as_expected} == {}
    assert len(results) == 8
    notes = results["a100-train/queues"].outcome.notes
    parts = [note.partition(" after ")[0] for note in notes]
    assert parts == ["vision 16", "vision 8 + language 8", "1 Job of vision stopped (InCohortReclamation)"]


def test_the_printed_job_of_each_team_runs(research: Rehearsed) -> None:
    lab, config = research.lab, research.config
    stage = Stage(lab)
    clean(stage)  # the load of the rehearsal may fill the pool
    (pool,) = config.queued_pools
    for tenant in (tenant for tenant in config.tenants if tenant.may_use(pool.name)):
        job = build_first_job(config, tenant, pool)
        lab.kube.impersonate(f"someone-of-{tenant.name}", f"tenant-{tenant.name}").create(job)
        assert stage.wait_until(lambda _, job=job: any(map(is_running, list_job_pods(stage, job))))  # type: ignore[misc]
        lab.kube.delete("batch/v1", "Job", job["metadata"]["name"], tenant.namespace_name)


def test_a_run_on_both_nodes_of_the_training_pool_starts_whole(research: Rehearsed) -> None:
    training = TrainingLab(research.lab, research.config)
    clean(Stage(research.lab))
    run = training.describe_run("whole", 2)
    training.start(run)
    labels = training.list_node_labels(training.wait_for_run(run))
    assert len({found["kubernetes.io/hostname"] for found in labels}) == 2
    training.clean()
