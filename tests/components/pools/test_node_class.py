"""Node classes state how many pods a node takes, and the memory that kubelet keeps for them."""

from typing import Any

import pytest

from ...support import builders
from ...support.plans import find_resource, plan_of


@pytest.mark.parametrize(
    ("fields", "kubelet"),
    [
        ({"instanceTypes": ["g6.16xlarge"]}, {"maxPods": 31, "kubeReserved": {"memory": "596Mi"}}),
        (
            {"instanceTypes": ["g6.48xlarge"], "sharing": {"mode": "mps", "replicas": 4}},
            {"maxPods": 62, "kubeReserved": {"memory": "937Mi"}},
        ),
        (
            {"instanceTypes": ["g6.16xlarge"], "ami": {"family": "bottlerocket"}},
            {"maxPods": 31, "kubeReserved": {"memory": "596Mi"}},
        ),
    ],
)
def test_kubelet_keeps_memory_for_the_pods_that_a_node_can_get(fields: dict[str, Any], kubelet: dict[str, Any]) -> None:
    """Without a limit a g6.16xlarge would take 737 pods and keep 8 GiB for them."""
    stack = builders.stack(pools=[builders.pool(maxGpus=8, **fields)])
    assert find_resource(plan_of(stack), "EC2NodeClass").inputs["spec"]["kubelet"] == kubelet
