"""Static nodes carry the labels and taints that Karpenter's nodes of the same pool would carry."""

from typing import Any

from ...support import builders
from ...support.plans import Plan, find_resource, plan_of

POOL: dict[str, Any] = {
    "instanceTypes": ["g6.xlarge"],
    "zones": ["us-east-1a"],
    "maxGpus": 2,
    "sharing": {"mode": "time-slicing", "replicas": 4},
    "labels": {"example.com/team": "vision"},
    "taints": [{"key": "example.com/a"}, {"key": "b", "value": "c", "effect": "NoExecute"}],
}
EKS_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute"}


def plan_pool(**fields: Any) -> Plan:
    return plan_of(builders.stack(pools=[builders.pool(**POOL, **fields)]))


def test_static_nodes_have_the_labels_of_karpenters_nodes() -> None:
    template = find_resource(plan_pool(), "NodePool").inputs["spec"]["template"]
    group = find_resource(plan_pool(staticNodes=2), "NodeGroup", "main-group").inputs
    assert group["labels"] == template["metadata"]["labels"]
    assert group["labels"]["example.com/team"] == "vision"


def test_static_nodes_have_the_taints_of_karpenters_nodes() -> None:
    template = find_resource(plan_pool(), "NodePool").inputs["spec"]["template"]
    group = find_resource(plan_pool(staticNodes=2), "NodeGroup", "main-group").inputs
    taints = [{**taint, "effect": EKS_EFFECTS[taint["effect"]]} for taint in group["taints"]]
    assert taints == template["spec"]["taints"]
    assert len(taints) == 3
