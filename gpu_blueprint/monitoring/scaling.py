"""PromQL for the signals on which a service scales.

Each query returns a single number under any load, and no value without measurements. KEDA keeps the number of replicas
when a query has no value, so a scrape target that is down never empties a service.

Where a service may have no replica, the queries remember the quiet time. KEDA's own cooldown counts from its last poll
without a failure, so an outage would use it up, and the first quiet poll would end all replicas.
"""

from ..catalog.inference_servers import INFERENCE_SERVERS, InferenceServer
from ..config.services import InFlight, Latency, Query, Queue, Requests, Scaling, Signal, SmActivity
from ..records import Record, replace

RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"
"""Letters of the random suffixes of pod names (k8s.io/apimachinery, util/rand).

They tell the pods of a Deployment from the pods of a Job whose name has the same beginning.
"""


_STEP_S = 15
"""Seconds between two looks of a query at its quiet time."""
_MISSED = 0.1
"""Share of the quiet time for which a query may have had no value: scrapes fail now and then."""


class Measure(Record):
    """A query and the value that the autoscaler should keep it at."""

    promql: str
    target: float
    per_replica: bool
    """The target counts for each replica; otherwise for all replicas together."""


def list_measures(deployment: str, namespace: str, scaling: Scaling) -> list[Measure]:
    """Return the measure of each signal, in the order of the stack file."""
    measures = [_build_measure(deployment, namespace, scaling, signal) for signal in scaling.scale_on]
    if scaling.replicas.min:
        return measures
    wanted = f"max({_select_wanted(deployment, namespace)})"
    return [replace(measure, promql=_stay_awake(measure.promql, wanted, scaling.quiet_seconds)) for measure in measures]


def _select_wanted(deployment: str, namespace: str) -> str:
    return f'kube_deployment_spec_replicas{{namespace="{namespace}",deployment="{deployment}"}}'


def _stay_awake(promql: str, wanted: str, quiet_seconds: int) -> str:
    """Return a query that is above 0 until the other query has been 0 throughout the quiet time.

    A look at no work counts 1, a look at work takes away more than all looks together, a missing look counts nothing.
    KEDA takes a millionth for activity; the HorizontalPodAutoscaler gets thousandths. A millionth would also wake a
    service that is asleep, so it counts only while the Deployment wants replicas.
    """
    query = f"{promql}\n" if "#" in promql else promql  # the line break ends a comment
    most = f"max({query})"  # without labels, which may change from look to look
    looks = f"sum_over_time((1001 * ({most} <= bool 0) - 1000)[{quiet_seconds}s:{_STEP_S}s])"
    stays = f"({looks} < bool {int(quiet_seconds / _STEP_S * (1 - _MISSED))})"
    return f"({query}) > 0 or 0.000001 * scalar(clamp_max({wanted}, 1)) * {stays} and {most} <= 0"


def _build_measure(deployment: str, namespace: str, scaling: Scaling, signal: Signal) -> Measure:
    # Prometheus itself sets the label namespace; the label job is the name of the PodMonitor.
    job = f'namespace="{namespace}",job="{namespace}/{deployment}"'
    # A Deployment at 0 has no pods to measure. Without a value KEDA would leave it there, even under its minimum.
    at_zero = f"or vector(0) and on () ({_select_wanted(deployment, namespace)} == 0)"
    match signal:
        case InFlight():
            return Measure(f"{_find_server(scaling).in_flight} {at_zero}".replace("%s", job), signal.per_replica, True)
        case Queue():
            return Measure(f"{_find_server(scaling).waiting} {at_zero}".replace("%s", job), signal.per_replica, True)
        case Requests():
            return Measure(f"{_find_server(scaling).served} {at_zero}".replace("%s", job), signal.per_replica, True)
        case Latency():
            server = _find_server(scaling)
            # Without requests there is no latency. If the pods run, the latency counts as 0.
            idle = f"0 * {server.waiting}"
            promql = f"{server.latency} >= 0 or {idle} {at_zero}"
            return Measure(promql.replace("%s", job), signal.seconds, False)
        case SmActivity():
            pods = f'namespace="{namespace}",pod=~"{deployment.replace(".", "[.]")}-{RANDOM}+-{RANDOM}{{5}}"'
            promql = f"avg(avg_over_time(DCGM_FI_PROF_SM_ACTIVE{{{pods}}}[2m])) {at_zero}"
            return Measure(promql, signal.share, False)
        case Query():
            return Measure(signal.promql, signal.per_replica, True)


def _find_server(scaling: Scaling) -> InferenceServer:
    return INFERENCE_SERVERS[str(scaling.server)]
