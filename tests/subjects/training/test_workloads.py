"""The object of a run."""

import pytest

from gpu_blueprint.subjects.training.workloads import build_workload

from ...support.training_runs import build_config, run_of


@pytest.mark.parametrize(("nodes", "kind"), [(1, "Job"), (2, "JobSet")])
def test_several_nodes_make_a_jobset(nodes: int, kind: str) -> None:
    config = build_config()
    assert build_workload(config, run_of(config, nodes=nodes))["kind"] == kind
