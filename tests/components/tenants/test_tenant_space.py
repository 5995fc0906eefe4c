"""Tenants in the cluster: quotas with every GPU resource, limits without GPUs, and the rights of members."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from ...support import builders
from ...support.plans import SHIPPED, Plan, find_resources, kind, plan, plan_of
from ...support.team_plan import plan_of_two_teams

GRANTED = {
    "dev": {"sandbox": {"nvidia.com/gpu.shared": "16"}},
    "research": {
        "vision": {"nvidia.com/mig-1g.10gb": "42", "nvidia.com/gpu": "8"},
        "language": {"nvidia.com/mig-1g.10gb": "42", "nvidia.com/gpu": "8"},
        "robotics": {"nvidia.com/mig-1g.10gb": "28"},
    },
    "prod": {
        "serving": {"nvidia.com/gpu.shared": "64", "nvidia.com/gpu": "32"},
        "training": {"nvidia.com/gpu": "32"},
    },
}


QUANTITY = re.compile(r"\d+(\.\d+)?(m|k|[KMGTPE]i?)?")
EFA = "vpc.amazonaws.com/efa"
GPU = re.compile(r"nvidia\.com/|vpc\.amazonaws\.com/")


@pytest.fixture(params=[*SHIPPED, "two teams"])
def planned(request: pytest.FixtureRequest) -> Plan:
    return plan_of_two_teams() if request.param == "two teams" else plan(request.param)


def find_quotas(planned: Plan) -> dict[str, dict[str, str]]:
    """Return namespace → ``spec.hard``."""
    return {
        found.inputs["metadata"]["namespace"]: found.inputs["spec"]["hard"]
        for found in find_resources(planned, "ResourceQuota")
    }


def list_gpu_resources(planned: Plan) -> set[str]:
    """Return the GPU resources of all pools, EFA, and whole GPUs, which a node hands out until MIG has cut them."""
    names = {"nvidia.com/gpu", "vpc.amazonaws.com/efa"}
    for found in find_resources(planned, "NodePool"):
        names |= {name for name in found.inputs["spec"]["limits"] if GPU.match(name)}
    for found in find_resources(planned, "NodeOverlay"):
        names |= {name for name in found.inputs["spec"]["capacity"] if GPU.match(name)}
    for found in find_resources(planned, "NodeGroup"):
        taints = [taint["key"] for taint in found.inputs.get("taints", [])]
        names |= {key for key in taints if GPU.match(key)}
    return names


def test_every_tenant_namespace_has_quota_limits_and_members(planned: Plan) -> None:
    for tenant in find_resources(planned, "TenantSpace"):
        inside = [found for found in planned if found.parent == tenant.urn]
        assert sorted(map(kind, inside)) == ["LimitRange", "Namespace", "ResourceQuota", "RoleBinding"]
        (space,) = [found.inputs["metadata"]["name"] for found in inside if kind(found) == "Namespace"]
        assert {found.inputs["metadata"].get("namespace", space) for found in inside} == {space}


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_quota_grants_exactly_the_grants_of_the_stack_file(stack: str) -> None:
    for tenant, granted in GRANTED[stack].items():
        expected = {name: granted.get(name, "0") for name in {*list_gpu_resources(plan(stack)), EFA}}
        hard = find_quotas(plan(stack))[tenant]
        assert {key.removeprefix("requests."): hard[key] for key in hard if GPU.search(key)} == expected
    assert set(find_quotas(plan(stack))) - {"gpu-headroom"} == set(GRANTED[stack])


def test_a_quota_lists_every_resource_that_a_node_may_hand_out(planned: Plan) -> None:
    """A resource that a quota does not list is unlimited."""
    for space, hard in find_quotas(planned).items():
        assert {f"requests.{name}" for name in list_gpu_resources(planned)} <= set(hard), space


def test_a_team_without_a_grant_may_request_no_gpu_at_all() -> None:
    hard = find_quotas(plan_of_two_teams())["another"]
    gpus = {key: value for key, value in hard.items() if GPU.search(key)}
    assert len(gpus) == 6
    assert set(gpus.values()) == {"0"}


def test_a_team_gets_the_efa_interfaces_of_its_gpus() -> None:
    """A p5.48xlarge has 32 EFA interfaces and 8 GPUs."""
    assert find_quotas(plan_of_two_teams())["team"]["requests.vpc.amazonaws.com/efa"] == "32"
    assert find_quotas(plan_of_two_teams())["team"]["requests.nvidia.com/mig-3g.40gb"] == "3"
    assert find_quotas(plan_of_two_teams())["team"]["requests.nvidia.com/mig-1g.10gb"] == "0"
    assert find_quotas(plan_of_two_teams())["team"]["requests.nvidia.com/gpu.shared"] == "4"


def test_a_quota_limits_requests_only(planned: Plan) -> None:
    """The API refuses ``limits`` and bare names of extended resources."""
    for hard in find_quotas(planned).values():
        assert [key for key in hard if not key.startswith("requests.")] == []
        assert [value for value in hard.values() if not QUANTITY.fullmatch(value)] == []


def list_limit_items(planned: Plan) -> Iterator[dict[str, Any]]:
    for found in find_resources(planned, "LimitRange"):
        yield from found.inputs["spec"]["limits"]


def default_as_kubernetes_does(item: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the limits and requests of a container that states none (SetDefaults_LimitRangeItem)."""
    limits = {**item.get("max", {}), **item.get("default", {})}
    return limits, {**item.get("min", {}), **limits, **item.get("defaultRequest", {})}


def count_mib(memory: str) -> int:
    return int(memory[:-2]) * {"Mi": 1, "Gi": 1024, "Ti": 1024**2}[memory[-2:]]


def test_a_limit_range_gives_no_container_a_gpu(planned: Plan) -> None:
    """The API makes a default from a maximum. With a default of GPUs, every container would get GPUs."""
    items = list(list_limit_items(planned))
    assert items
    for item in items:
        limits, requests = default_as_kubernetes_does(item)
        assert item["type"] == "Container" and {*limits, *requests} == {"cpu", "memory"}


def test_a_container_that_states_nothing_gets_modest_requests_and_a_modest_limit_of_memory(planned: Plan) -> None:
    """The maximum is the whole quota, so it must not become the limit of each container."""
    for item in list_limit_items(planned):
        limits, requests = default_as_kubernetes_does(item)
        assert limits == {"memory": "4Gi"}
        assert requests == {"cpu": "100m", "memory": "256Mi"}


@pytest.mark.parametrize(("memory", "limit"), [("2Gi", "2Gi"), ("4Gi", "4Gi"), ("1Ti", "4Gi")])
def test_the_default_limit_of_memory_stays_within_a_small_quota(memory: str, limit: str) -> None:
    """The API refuses a default above the maximum."""
    planned = plan_of(builders.stack(tenants=[builders.tenant(memory=memory)]))
    (item,) = list_limit_items(planned)
    assert item["default"] == {"memory": limit}
    assert count_mib(item["default"]["memory"]) <= count_mib(item["max"]["memory"])


def test_members_of_a_tenant_edit_its_namespace_through_their_group(planned: Plan) -> None:
    groups = {
        group for found in find_resources(planned, "AccessEntry") for group in found.inputs.get("kubernetesGroups", [])
    }
    bound = set()
    for found in find_resources(planned, "RoleBinding", "-members"):
        assert found.inputs["roleRef"] == {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "edit",
        }
        (subject,) = found.inputs["subjects"]
        assert subject["kind"] == "Group"
        bound.add(subject["name"])
    assert bound == groups
