"""The NetworkPolicy of Prometheus and Alertmanager."""

import json

from ...support import builders
from ...support.plans import one, plan_of, some
from .test_monitoring import EXISTING, plan_monitoring


def test_only_monitoring_and_keda_reach_prometheus_and_alertmanager() -> None:
    planned = plan_monitoring()
    doors = one(planned, "NetworkPolicy").inputs
    (behind,) = doors["spec"]["podSelector"]["matchExpressions"]
    assert doors["metadata"]["namespace"] == "monitoring" and behind["values"] == ["prometheus", "alertmanager"]
    ((guest,),) = [rule["from"] for rule in doors["spec"]["ingress"]]
    assert guest["namespaceSelector"]["matchExpressions"][0]["values"] == ["monitoring", "keda"]
    assert json.loads(one(planned, "Addon", "vpc-cni").inputs["configurationValues"]) == {"enableNetworkPolicy": "true"}
    own = plan_of(builders.stack(**EXISTING))
    assert some(own, "NetworkPolicy") == []
    assert "configurationValues" not in one(own, "Addon", "vpc-cni").inputs
