"""Alerts about services that KEDA scales.

A service without a measurement keeps its number of replicas, and nothing else reports it.
"""

from ..rules import Alert

_AUTOSCALER = "kube_horizontalpodautoscaler"
_OF_KEDA = 'horizontalpodautoscaler=~"keda-hpa-.+"'
"""KEDA creates a HorizontalPodAutoscaler with this prefix for each ScaledObject."""


def _select(field: str, *matchers: str) -> str:
    """Select a field of each autoscaler that KEDA created."""
    return f"max by (namespace, horizontalpodautoscaler) ({_AUTOSCALER}_{field}{{{','.join((_OF_KEDA, *matchers))}}})"


_REPLICAS = _select("status_current_replicas")
_NOT_ACTIVE = _select("status_condition", 'condition="ScalingActive"', 'status="false"')

SERVICE_ALERTS = (
    Alert(
        name="ServiceNotMeasured",
        subject="Services",
        severity="warning",
        # At zero replicas, the autoscaler does not scale the service either, and nothing is wrong.
        expr=f"({_NOT_ACTIVE} == 1) and on (namespace, horizontalpodautoscaler) ({_REPLICAS} > 0)",
        wait="10m",
        summary="Autoscaler {{ $labels.horizontalpodautoscaler }} in namespace {{ $labels.namespace }}"
        " has no measurement to scale on",
        costs="The number of replicas does not change: more requests queue, and fewer requests leave GPUs idle.",
        steps=(
            "Find the trigger that fails and its reason: `kubectl describe scaledobject -n {{ $labels.namespace }}`.",
            "If the series is missing: check that Prometheus scrapes the pods."
            " The container must declare the port, and its pods must carry the labels of `podLabels`.",
            "If Prometheus does not answer: `kubectl get pods -n monitoring`.",
        ),
    ),
    Alert(
        name="ServiceAtMostReplicas",
        subject="Services",
        severity="info",
        # A service whose minimum equals its maximum always runs all its replicas.
        expr=f"{_REPLICAS} >= {_select('spec_max_replicas')} > {_select('spec_min_replicas')}",
        wait="30m",
        summary="Autoscaler {{ $labels.horizontalpodautoscaler }} in namespace {{ $labels.namespace }}"
        " has run its maximum of {{ $value }} replicas for half an hour",
        costs="Further requests wait.",
        steps=(
            "Find out whether the load is high or the pods are slow:"
            " see latency and SM activity of the pods on the dashboard GPU tenant.",
            "If the load is high: raise `replicas.max` in the stack file."
            " `blueprint check` shows whether the tenant's quota and the pool's ceiling allow it.",
        ),
    ),
)
