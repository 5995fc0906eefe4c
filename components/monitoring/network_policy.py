"""The NetworkPolicy that closes Prometheus and Alertmanager to other namespaces."""

from typing import Any

from gpu_blueprint.catalog import namespaces


def build_network_policy_spec() -> Any:
    """Return the ``spec`` of a NetworkPolicy that admits only the namespaces of monitoring and KEDA.

    Neither Prometheus nor Alertmanager authenticates its callers, and a caller of Alertmanager can silence every
    alert. ``kubectl port-forward`` comes from the node and passes. For any other client, make a further NetworkPolicy
    in the same namespace.
    """
    protected = {"key": "app.kubernetes.io/name", "operator": "In", "values": ["prometheus", "alertmanager"]}
    admitted = {
        "key": "kubernetes.io/metadata.name",
        "operator": "In",
        "values": [namespaces.MONITORING, namespaces.KEDA],
    }
    return {
        "pod_selector": {"match_expressions": [protected]},
        "policy_types": ["Ingress"],
        "ingress": [{"from_": [{"namespace_selector": {"match_expressions": [admitted]}}]}],
    }
