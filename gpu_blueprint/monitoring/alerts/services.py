"""Alerts about services that KEDA scales: what is not measured keeps its replicas, and says so nowhere else."""

from ..rules import Alert

_HPA = "kube_horizontalpodautoscaler"
_OURS = 'horizontalpodautoscaler=~"keda-hpa-.+"'
"""KEDA makes an autoscaler of Kubernetes for each ScaledObject, and calls it so."""
_BY_SERVICE = "max by (namespace, horizontalpodautoscaler)"


def _of(what: str, *more: str) -> str:
    return f"{_BY_SERVICE} ({_HPA}_{what}{{{','.join((_OURS, *more))}}})"


_REPLICAS = _of("status_current_replicas")
_NOT_ACTIVE = _of("status_condition", 'condition="ScalingActive"', 'status="false"')

SERVICE_ALERTS = (
    Alert(
        name="ServiceNotMeasured",
        subject="Services",
        severity="warning",
        # A service that sleeps is not scaled by its autoscaler either, and should not be.
        expr=f"({_NOT_ACTIVE} == 1) and on (namespace, horizontalpodautoscaler) ({_REPLICAS} > 0)",
        wait="10m",
        summary="{{ $labels.horizontalpodautoscaler }} of {{ $labels.namespace }} has no measure to scale by",
        costs="Replicas stay as they are: requests queue when more come, and GPUs are paid for when fewer do.",
        steps=(
            "`kubectl describe scaledobject -n {{ $labels.namespace }}`: which trigger fails, and why?",
            "No series: are the pods targets of Prometheus? The container must declare the port, its pods carry the labels of `podLabels`.",
            "Prometheus does not answer: `kubectl get pods -n monitoring`.",
        ),
    ),
    Alert(
        name="ServiceAtMostReplicas",
        subject="Services",
        severity="info",
        # A service that may have no other number of replicas has not run out of them.
        expr=f"{_REPLICAS} >= {_of('spec_max_replicas')} > {_of('spec_min_replicas')}",
        wait="30m",
        summary="{{ $labels.horizontalpodautoscaler }} of {{ $labels.namespace }} has run all its {{ $value }} replicas for half an hour",
        costs="Whoever asks next waits.",
        steps=(
            "See whether it is load or slowness: latency and SM activity of its pods, on the page GPU tenant.",
            "Load: raise `replicas.max` in the stack file; `check` says whether the tenant's quota and the pool's ceiling allow it.",
        ),
    ),
)
