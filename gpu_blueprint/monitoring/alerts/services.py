"""Alerts about services that KEDA scales.

A service without a measurement keeps its number of replicas, and nothing else reports it. Neither the ScaledObject nor
its HorizontalPodAutoscaler says that a quota or a pool's ceiling stops replicas.
"""

from ..recording import copy_label
from ..rules import Alert
from ..scaling import RANDOM
from .nodes import WAITED, WAITING

_AUTOSCALER = "kube_horizontalpodautoscaler"
_OF_KEDA = 'horizontalpodautoscaler=~"keda-hpa-.+"'
"""KEDA creates a HorizontalPodAutoscaler with this prefix for each ScaledObject."""


def _select(field: str, *matchers: str) -> str:
    """Select a field of each autoscaler that KEDA created."""
    return f"max by (namespace, horizontalpodautoscaler) ({_AUTOSCALER}_{field}{{{','.join((_OF_KEDA, *matchers))}}})"


_REPLICAS = _select("status_current_replicas")
_NOT_ACTIVE = _select("status_condition", 'condition="ScalingActive"', 'status="false"')

_SCALED = copy_label(
    f'{_AUTOSCALER}_info{{{_OF_KEDA},scaletargetref_kind="Deployment"}}', "deployment", "scaletargetref_name"
)
_OF_SCALED = f"and on (namespace, deployment) max by (namespace, deployment) ({_SCALED})"
"""Keeps the Deployments that KEDA scales."""


def _select_deployment(field: str) -> str:
    return f"max by (namespace, deployment) (kube_deployment_{field})"


_PODS_WAITING = copy_label(f"({WAITING})", "deployment", "pod", f"(.+)-{RANDOM}+-{RANDOM}{{5}}")

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
        costs="The number of replicas does not change: more requests queue, and fewer requests leave GPUs idle."
        " If Prometheus itself is down, this alert cannot fire: only the Watchdog's receiver notices.",
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
            " `blueprint check STACK` shows whether the tenant's quota and the pool's ceiling allow it.",
        ),
    ),
    Alert(
        name="ServicePodsRefused",
        subject="Services",
        severity="warning",
        expr=f"({_select_deployment('spec_replicas')} - {_select_deployment('status_replicas')} > 0) {_OF_SCALED}",
        wait="10m",
        summary="Kubernetes refuses {{ $value }} of the pods that Deployment {{ $labels.deployment }} in namespace"
        " {{ $labels.namespace }} wants",
        costs="The service runs fewer replicas than its load asks for, and its autoscaler reports nothing.",
        steps=(
            "Read the reason: `kubectl get events -n {{ $labels.namespace }} --field-selector reason=FailedCreate`.",
            "If the reason is `exceeded quota`: raise `tenants.gpus` in the stack file, or lower `replicas.max` of the"
            " tenant's other services. CPU and memory of the tenant count too.",
            "If the reason is `must be less than or equal to memory limit`: state a limit of memory in the pod.",
        ),
    ),
    Alert(
        name="ServicePodsPending",
        subject="Services",
        severity="warning",
        expr=f"count by (namespace, deployment) ({_PODS_WAITING}) {_OF_SCALED}",
        wait=WAITED,
        summary="{{ $value }} pods of Deployment {{ $labels.deployment }} in namespace {{ $labels.namespace }} wait for"
        " GPUs",
        costs="The service runs fewer replicas than its load asks for, or its rollout stands still."
        " Its autoscaler reports nothing.",
        steps=(
            "Read Karpenter's reason: `kubectl get events -n {{ $labels.namespace }}"
            " --field-selector reason=FailedScheduling`.",
            "If the reason ends with `all available instance types exceed limits for nodepool`: the pool is at its"
            " ceiling. Raise `maxGpus` in the stack file, or lower `replicas.max` of other services in the pool.",
            "If a rollout waits at the ceiling: give the Deployment `maxSurge: 0` and `maxUnavailable: 1`.",
            "If the reason is `InsufficientInstanceCapacity`: add instance types, zones or on-demand to the pool.",
        ),
    ),
)
