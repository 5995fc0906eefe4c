"""Pools that advertise the same resource name."""

from typing import Any

from gpu_blueprint.checks.pools.resource_names import warn_of_shared_resource_names

from ...support import builders

POOLS = [builders.pool(), builders.pool(name="large", gpu="l40s")]


def find(**fields: Any) -> list[str]:
    return [str(problem) for problem in warn_of_shared_resource_names(builders.config(pools=POOLS, **fields))]


def test_pods_that_name_no_pool_may_land_anywhere_while_admission_only_warns() -> None:
    (warning,) = find(tenancy={"enforcement": "warn"})
    assert "main (L4, whole GPUs), large (L40S, whole GPUs) all advertise nvidia.com/gpu" in warning


def test_admission_that_refuses_lets_no_pod_land_in_another_pool() -> None:
    assert find() == []
