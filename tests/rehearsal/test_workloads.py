"""Workloads, read as Kueue writes them."""

from gpu_blueprint.rehearsal.workloads import explain_wait, find_eviction, is_admitted, name_job

from ..support.fake_queues import workload


def test_a_workload_names_its_job_and_holds_gpus_once_it_is_admitted() -> None:
    assert name_job(workload("run", "team")) == ("run", "team")
    assert is_admitted(workload("run", Admitted="True"))
    assert not is_admitted(workload("run", Admitted="False"))
    assert not is_admitted(workload("run"))


def test_a_workload_says_why_it_waits() -> None:
    assert explain_wait(workload("run", QuotaReserved="False")) == "the message of QuotaReserved"
    assert explain_wait(workload("run")) == ""


def test_a_workload_says_why_it_was_stopped() -> None:
    stopped = workload("run", Evicted="True:Preempted", Preempted="True:InCohortReclamation")
    assert find_eviction(stopped) == "InCohortReclamation"
    assert find_eviction(workload("run", Evicted="True:PodsReadyTimeout")) == "PodsReadyTimeout"
    assert find_eviction(workload("run", Evicted="False:Preempted")) == ""
