"""The NetworkPolicy of Prometheus and Alertmanager."""

import json

from ...support import builders
from ...support.plans import find_resource, find_resources, plan_of
from .test_monitoring import EXISTING, plan_monitoring


def test_only_monitoring_and_keda_reach_prometheus_and_alertmanager() -> None:
    planned = plan_monitoring()
    doors = find_resource(planned, "NetworkPolicy").inputs
    (behind,) = doors["spec"]["podSelector"]["matchExpressions"]
    assert doors["metadata"]["namespace"] == "monitoring" and behind["values"] == ["prometheus", "alertmanager"]
    ((guest,),) = [rule["from"] for rule in doors["spec"]["ingress"]]
    assert guest["namespaceSelector"]["matchExpressions"][0]["values"] == ["monitoring", "keda"]
    assert json.loads(find_resource(planned, "Addon", "vpc-cni").inputs["configurationValues"]) == {
        "enableNetworkPolicy": "true"
    }
    own = plan_of(builders.stack(**EXISTING))
    assert find_resources(own, "NetworkPolicy") == []
    assert "configurationValues" not in find_resource(own, "Addon", "vpc-cni").inputs
