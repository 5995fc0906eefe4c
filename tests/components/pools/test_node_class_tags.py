"""The cost tags of nodes: owner, environment, cost centre, pool and tenant."""

from typing import Any

import pytest

from ...support import builders
from ...support.plans import Plan, find_resource, find_resources, plan_of

OWN = {
    "owner": "ml-platform",
    "environment": "test",
    "cost-center": "ml-tests",
    "managed-by": "gpu-blueprint",
    "pool": "main",
}
STATIC = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 2, "maxGpus": 2}
MIXED = {"gpu": "h100-80gb", "sharing": {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 2}}}


def build_tenants(**quotas: Any) -> list[dict[str, Any]]:
    """Return a tenant for each name with its quota in the pool; ``None`` is no quota."""
    return [builders.tenant(name=name, gpus={} if quota is None else {"main": quota}) for name, quota in quotas.items()]


def plan_pool(tenants: list[dict[str, Any]], **pool: Any) -> Plan:
    return plan_of(builders.stack(pools=[builders.pool(**pool)], tenants=tenants))


def find_node_class_tags(tenants: list[dict[str, Any]], **pool: Any) -> dict[str, str]:
    """Return the tags that Karpenter puts on instances, volumes and network interfaces of the pool."""
    tags: dict[str, str] = find_resource(plan_pool(tenants, **pool), "EC2NodeClass").inputs["spec"]["tags"]
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
def test_nodes_have_a_tag_with_the_tenant_that_may_use_them(quotas: dict[str, int | None], tenant: str | None) -> None:
    expected = {**OWN, **({"tenant": tenant} if tenant else {})}
    assert find_node_class_tags(build_tenants(**quotas)) == expected
    static = {name: min(quota, 2) if quota else quota for name, quota in quotas.items()}
    (tags, *others) = find_resource(plan_pool(build_tenants(**static), **STATIC), "LaunchTemplate", "main").inputs[
        "tagSpecifications"
    ]
    assert tags["tags"] == {**expected, "Name": "gpu-test-main"}
    assert [other["tags"] for other in others] == [tags["tags"]] * 2


def test_a_quota_by_mig_profile_makes_a_tenant_tag_too() -> None:
    none, some_ = {"3g.40gb": 0, "1g.10gb": 0}, {"3g.40gb": 0, "1g.10gb": 1}
    assert find_node_class_tags(build_tenants(vision=none, speech=some_), **MIXED)["tenant"] == "speech"
    assert "tenant" not in find_node_class_tags(build_tenants(vision=none), **MIXED)


def test_each_pool_has_the_tag_of_its_own_tenant() -> None:
    pools = [builders.pool(), builders.pool(name="other")]
    tenants = [builders.tenant(name="vision"), builders.tenant(name="speech", gpus={"other": 1})]
    found = find_resources(plan_of(builders.stack(pools=pools, tenants=tenants)), "EC2NodeClass")
    tags = {
        node_class.inputs["spec"]["tags"]["pool"]: node_class.inputs["spec"]["tags"]["tenant"] for node_class in found
    }
    assert tags == {"main": "vision", "other": "speech"}


def test_the_tags_of_the_stack_file_are_added_to_ours() -> None:
    tagged = plan_of(builders.stack(tags={"data-classification": "internal"}))
    tags = find_resource(tagged, "EC2NodeClass").inputs["spec"]["tags"]
    assert tags == {**OWN, "tenant": "team", "data-classification": "internal"}
