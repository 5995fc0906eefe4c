"""Alerts about services that KEDA scales.

A service without a measurement keeps its number of replicas, and its HorizontalPodAutoscaler looks healthy, as it does
where one of two signals fails: the alert reads the ScaledObject. Neither of them says that a quota or a pool's ceiling
stops replicas.
"""

from ..recording import copy_label
from ..rules import Heading
from ..scaling import RANDOM
from .nodes import NO_CAPACITY, WAITED, WAITING

_AUTOSCALER = "kube_horizontalpodautoscaler"
_OF_KEDA = 'horizontalpodautoscaler=~"keda-hpa-.+"'
"""KEDA creates a HorizontalPodAutoscaler with this prefix for each ScaledObject."""


def _select(field: str, *matchers: str) -> str:
    """Select a field of each autoscaler that KEDA created."""
    return f"max by (namespace, horizontalpodautoscaler) ({_AUTOSCALER}_{field}{{{','.join((_OF_KEDA, *matchers))}}})"


def _select_deployment(field: str) -> str:
    return f"max by (namespace, deployment) (kube_deployment_{field})"


def _select_condition(kind: str) -> str:
    return f'max by (namespace, scaledobject, deployment) (kube_scaledobject_status_condition{{type="{kind}"}})'


_REPLICAS = _select("status_current_replicas")
_LEAST = "max by (namespace, deployment) (kube_scaledobject_spec_min_replicas)"
_FAILS = f"({_select_condition('Ready')} == 0 or {_select_condition('Fallback')} == 1)"
_OF_PAUSED = f"unless on (namespace, deployment) {_select_condition('Paused')} == 1"
"""Leaves out Deployments whose ScaledObject is paused: KEDA then scales nothing, and somebody wants it so."""

_SCALED = copy_label(
    f'{_AUTOSCALER}_info{{{_OF_KEDA},scaletargetref_kind="Deployment"}}', "deployment", "scaletargetref_name"
)
_OF_SCALED = f"and on (namespace, deployment) max by (namespace, deployment) ({_SCALED})"
"""Keeps the Deployments that KEDA scales."""


_PODS_WAITING = copy_label(f"({WAITING})", "deployment", "pod", f"(.+)-{RANDOM}+-{RANDOM}{{5}}")

_SERVICES = Heading("Services")
SERVICE_ALERTS = (
    _SERVICES.warning(
        name="ServiceNotMeasured",
        # A scaler that waits for its Deployment is not ready either.
        expr=f"{_FAILS} and on (namespace, deployment) {_select_deployment('spec_replicas')} {_OF_PAUSED}",
        hold_for="10m",
        summary="ScaledObject {{ $labels.scaledobject }} in namespace {{ $labels.namespace }}"
        " has a signal without a measurement",
        impact="No replica goes, so fewer requests leave GPUs idle. Only another signal adds one: more requests queue,"
        " and a service that is asleep does not wake."
        " If Prometheus itself is down, this alert cannot fire: only the Watchdog's receiver notices.",
        steps=(
            "Find the trigger that fails and its reason:"
            " `kubectl describe scaledobject -n {{ $labels.namespace }} {{ $labels.scaledobject }}`.",
            "If the series is missing: check that Prometheus scrapes the pods."
            " The container must declare the port, and its pods must carry the labels of `podLabels`.",
            "If Prometheus scrapes them, its page `Targets` shows an error. Prometheus stores nothing of an answer"
            " without a Content-Type, or with another one such as `application/json`: let the server answer `/metrics`"
            " with `text/plain; version=0.0.4`.",
            "If Prometheus does not answer: `kubectl get pods -n monitoring`.",
        ),
    ),
    _SERVICES.critical(
        name="ServiceBelowMinimum",
        # The autoscaler lifts a Deployment from one replica on. From none, only KEDA does, and it needs a measurement.
        expr=f"{_LEAST} > 0 and on (namespace, deployment) {_select_deployment('spec_replicas')} == 0 {_OF_PAUSED}",
        hold_for="5m",
        summary="Deployment {{ $labels.deployment }} in namespace {{ $labels.namespace }} stands at 0 replicas"
        " under its minimum of {{ $value }}",
        impact="Every request to the service fails, and its autoscaler does nothing at 0.",
        steps=(
            "Start a replica, of a model as an admin of the cluster; the autoscaler adds the others:"
            " `kubectl scale -n {{ $labels.namespace }} deployment/{{ $labels.deployment }} --replicas=1`.",
            "Find the trigger that fails and its reason: `kubectl describe scaledobject -n {{ $labels.namespace }}`.",
            "If there is no failing trigger: `kubectl logs -n keda -l app=keda-operator --tail=100`.",
        ),
    ),
    _SERVICES.info(
        name="ServiceAtMostReplicas",
        # A service whose minimum equals its maximum always runs all its replicas.
        expr=f"{_REPLICAS} >= {_select('spec_max_replicas')} > {_select('spec_min_replicas')}",
        hold_for="30m",
        summary="Autoscaler {{ $labels.horizontalpodautoscaler }} in namespace {{ $labels.namespace }}"
        " has run its maximum of {{ $value }} replicas for half an hour",
        impact="Further requests wait.",
        steps=(
            "Find out whether the load is high or the pods are slow:"
            " see latency and SM activity of the pods on the dashboard GPU tenant.",
            "If the load is high: raise `replicas.max` in the stack file."
            " `blueprint check STACK` shows whether the tenant's quota and the pool's ceiling allow it.",
        ),
    ),
    _SERVICES.warning(
        name="ServicePodsRefused",
        expr=f"({_select_deployment('spec_replicas')} - {_select_deployment('status_replicas')} > 0) {_OF_SCALED}",
        hold_for="10m",
        summary="Kubernetes refuses {{ $value }} of the pods that Deployment {{ $labels.deployment }} in namespace"
        " {{ $labels.namespace }} wants",
        impact="The service runs fewer replicas than its load asks for, and its autoscaler reports nothing.",
        steps=(
            "Read the reason: `kubectl get events -n {{ $labels.namespace }} --field-selector reason=FailedCreate`.",
            "If the reason is `exceeded quota`: raise `tenants.gpus` in the stack file, or lower `replicas.max` of the"
            " tenant's other services. CPU and memory of the tenant count too.",
            "If the reason is `must be less than or equal to memory limit`: state a limit of memory in the pod.",
        ),
    ),
    _SERVICES.warning(
        name="ServicePodsPending",
        expr=f"count by (namespace, deployment) ({_PODS_WAITING}) {_OF_SCALED}",
        hold_for=WAITED,
        summary="{{ $value }} pods of Deployment {{ $labels.deployment }} in namespace {{ $labels.namespace }} wait for"
        " GPUs",
        impact="The service runs fewer replicas than its load asks for, or its rollout stands still."
        " Its autoscaler reports nothing.",
        steps=(
            "Read Karpenter's reason: `kubectl get events -n {{ $labels.namespace }}"
            " --field-selector reason=FailedScheduling`.",
            "If the reason ends with `all available instance types exceed limits for nodepool`: the pool is at its"
            " ceiling. Raise `maxGpus` in the stack file, or lower `replicas.max` of other services in the pool.",
            "If a rollout waits at the ceiling: give the Deployment `maxSurge: 0` and `maxUnavailable: 1`.",
            f"{NO_CAPACITY}: add instance types, zones or on-demand to the pool.",
        ),
    ),
)
