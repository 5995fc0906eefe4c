"""Tags by which the cost of nodes is told apart: owner, environment, cost centre, pool and tenant."""

from typing import Any

import pytest

from ...support import builders
from ...support.plans import Plan, one, plan_of, some

OWN = {
    "owner": "ml-platform",
    "environment": "test",
    "cost-center": "ml-tests",
    "managed-by": "gpu-blueprint",
    "pool": "main",
}
STATIC = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 2, "maxGpus": 2}
MIXED = {"gpu": "h100-80gb", "sharing": {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 2}}}


def teams(**quotas: Any) -> list[dict[str, Any]]:
    """A tenant for each name, with that quota in the pool; no quota at all for ``None``."""
    return [builders.tenant(name=name, gpus={} if quota is None else {"main": quota}) for name, quota in quotas.items()]


def planned(tenants: list[dict[str, Any]], **pool: Any) -> Plan:
    return plan_of(builders.stack(pools=[builders.pool(**pool)], tenants=tenants))


def of_class(tenants: list[dict[str, Any]], **pool: Any) -> dict[str, str]:
    """What Karpenter tags the instances, volumes and interfaces of the pool with."""
    tags: dict[str, str] = one(planned(tenants, **pool), "EC2NodeClass").inputs["spec"]["tags"]
    return tags


@pytest.mark.parametrize(
    ("quotas", "tenant"),
    [
        ({}, None),
        ({"vision": None}, None),
        ({"vision": 0}, None),
        ({"vision": 1}, "vision"),
        ({"vision": 1, "speech": None, "robotics": 0}, "vision"),
        ({"vision": 1, "speech": 1}, "shared"),
        ({"vision": 8, "speech": 8, "robotics": 8}, "shared"),
    ],
)
def test_nodes_say_the_tenant_that_may_use_them(quotas: dict[str, int | None], tenant: str | None) -> None:
    expected = {**OWN, **({"tenant": tenant} if tenant else {})}
    assert of_class(teams(**quotas)) == expected
    static = {name: min(quota, 2) if quota else quota for name, quota in quotas.items()}
    (tags, *others) = one(planned(teams(**static), **STATIC), "LaunchTemplate", "main").inputs["tagSpecifications"]
    assert tags["tags"] == {**expected, "Name": "gpu-test-main"}
    assert [other["tags"] for other in others] == [tags["tags"]] * 2


def test_a_quota_by_profile_counts_like_any_other() -> None:
    none, some_ = {"3g.40gb": 0, "1g.10gb": 0}, {"3g.40gb": 0, "1g.10gb": 1}
    assert of_class(teams(vision=none, speech=some_), **MIXED)["tenant"] == "speech"
    assert "tenant" not in of_class(teams(vision=none), **MIXED)


def test_each_pool_says_its_own_tenant() -> None:
    pools = [builders.pool(), builders.pool(name="other")]
    tenants = [builders.tenant(name="vision"), builders.tenant(name="speech", gpus={"other": 1})]
    found = some(plan_of(builders.stack(pools=pools, tenants=tenants)), "EC2NodeClass")
    tags = {one.inputs["spec"]["tags"]["pool"]: one.inputs["spec"]["tags"]["tenant"] for one in found}
    assert tags == {"main": "vision", "other": "speech"}


def test_tags_of_the_stack_stay_beside_ours() -> None:
    tagged = plan_of(builders.stack(tags={"data-classification": "internal"}))
    tags = one(tagged, "EC2NodeClass").inputs["spec"]["tags"]
    assert tags == {**OWN, "tenant": "team", "data-classification": "internal"}
