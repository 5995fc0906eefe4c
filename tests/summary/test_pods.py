"""The pod that explain prints: it fits its node beside as many equal pods as the GPUs of the node allow."""

from typing import Any

import pytest

from gpu_blueprint.catalog import find_instance
from gpu_blueprint.config import Pool, StackConfig
from gpu_blueprint.summary.pods import build_pod, find_room

from ..support import builders
from ..support.plans import SHIPPED, shipped_config

EFA_POOL = {"purpose": "training", "instanceTypes": ["p5.48xlarge"], "zones": ["us-east-1a"], "maxGpus": 16}
CUT = {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 4}}


def explain_container(stack: StackConfig, pool: Pool, **limits: int) -> dict[str, Any]:
    (container,) = build_pod(stack, pool, limits=limits)["spec"]["containers"]
    found: dict[str, Any] = container
    return found


def count_millicpu(cpu: str) -> int:
    return int(cpu[:-1]) if cpu.endswith("m") else int(cpu) * 1000


def count_mib(memory: str) -> int:
    return int(memory[:-2]) * {"Mi": 1, "Gi": 1024}[memory[-2:]]


@pytest.mark.parametrize("name", SHIPPED)
def test_as_many_pods_fit_a_node_as_its_gpus_have_slots(name: str) -> None:
    stack = shipped_config(name)
    for pool in stack.pools:
        resource = next(iter(pool.profile.per_device))
        room = explain_container(stack, pool)["resources"]["requests"]
        for row in stack.list_instances(pool):
            slots = pool.profile.count_per_node(row)[resource]
            assert count_millicpu(room["cpu"]) * slots <= (row.vcpu - 1) * 1000
            # Karpenter leaves 0.925 of the memory, less 11 MiB for each address and 355 MiB, to pods and DaemonSets.
            addresses = row.max_enis * (row.addresses_per_eni - 1) + 2
            assert count_mib(room["memory"]) * slots + 512 <= row.memory_mib * 0.925 - 11 * addresses - 355


def test_a_share_of_a_gpu_has_its_share_of_the_node() -> None:
    stack = builders.config(
        pools=[builders.pool(instanceTypes=["g6.2xlarge"], sharing={"mode": "time-slicing", "replicas": 4})]
    )
    # 8 CPUs and 32 GiB.
    assert find_room(stack, stack.pools[0], {"nvidia.com/gpu.shared": 1}) == {"cpu": "1700m", "memory": "6Gi"}


@pytest.mark.parametrize(
    ("limits", "room"),
    [
        ({"nvidia.com/gpu": 1}, {"cpu": "3", "memory": "12Gi"}),
        # The smallest node with two GPUs has four.
        ({"nvidia.com/gpu": 2}, {"cpu": "23500m", "memory": "76Gi"}),
        ({"nvidia.com/gpu": 8}, {"cpu": "191", "memory": "614Gi"}),
    ],
)
def test_a_pod_with_more_gpus_has_more_cpu_and_memory(limits: dict[str, int], room: dict[str, str]) -> None:
    stack = builders.config(pools=[builders.pool(instanceTypes=["g6.xlarge", "g6.12xlarge", "g6.48xlarge"])])
    assert find_room(stack, stack.pools[0], limits) == room
    container = explain_container(stack, stack.pools[0], **limits)
    assert container["resources"] == {"requests": room, "limits": {"memory": room["memory"], **limits}}


def test_a_larger_mig_instance_has_more_cpu_and_memory() -> None:
    stack = builders.config(pools=[builders.pool(instanceTypes=["p5.4xlarge"], sharing=CUT)])
    small, large = (
        count_mib(find_room(stack, stack.pools[0], {f"nvidia.com/mig-{profile}": 1})["memory"])
        for profile in ("1g.10gb", "3g.40gb")
    )
    assert large == pytest.approx(3 * small, rel=0.1)


@pytest.mark.parametrize("hugepages", [True, False])
def test_a_pod_of_several_nodes_has_shared_memory_and_either_hugepages_or_none(hugepages: bool) -> None:
    pool = {**EFA_POOL, "multiNode": {"hugepages": hugepages}}
    stack = builders.config(pools=[builders.pool(**pool)])
    spec = build_pod(stack, stack.pools[0])["spec"]
    (container,) = spec["containers"]
    (volume,) = spec["volumes"]
    assert volume["emptyDir"] == {"medium": "Memory"}
    assert container["volumeMounts"] == [{"name": volume["name"], "mountPath": "/dev/shm"}]
    limits, offered = container["resources"]["limits"], find_instance("p5.48xlarge").efa_hugepages_mib
    assert limits["vpc.amazonaws.com/efa"] == 32
    assert (count_mib(limits.get("hugepages-2Mi", "0Mi")) > 0) is hugepages
    assert count_mib(limits.get("hugepages-2Mi", "0Mi")) <= offered
    assert ("env" in container) is not hugepages
    assert hugepages or container["env"] == [{"name": "FI_EFA_USE_HUGE_PAGE", "value": "0"}]


def test_a_pod_of_a_single_node_mounts_nothing() -> None:
    stack = builders.config(pools=[builders.pool()])
    spec = build_pod(stack, stack.pools[0])["spec"]
    assert "volumes" not in spec and not {"env", "volumeMounts"} & {*spec["containers"][0]}


def test_a_pod_is_made_where_a_grantee_or_the_caller_wants_it() -> None:
    stack = shipped_config("prod")
    pool = stack.pools_by_name["infer-l4"]
    assert build_pod(stack, pool)["metadata"]["namespace"] == "serving"
    asked = build_pod(stack, pool, namespace="elsewhere", limits={"nvidia.com/gpu.shared": 2})
    assert asked["metadata"]["namespace"] == "elsewhere"
    assert asked["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu.shared"] == 2
