"""PromQL for the signals on which a service scales.

Each query returns a single number under any load, and no value without measurements. KEDA keeps the number of replicas
when a query has no value, so a scrape target that is down never empties a service.
"""

from dataclasses import dataclass

from ..catalog.inference_servers import INFERENCE_SERVERS, InferenceServer
from ..config.services import Latency, Query, Queue, Requests, Scaling, Signal, SmActivity

RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"
"""Letters of the random suffixes of pod names (k8s.io/apimachinery, util/rand).

They tell the pods of a Deployment from the pods of a Job whose name has the same beginning.
"""


@dataclass(frozen=True, slots=True)
class Measure:
    """A query and the value that the autoscaler should keep it at."""

    promql: str
    target: float
    per_replica: bool
    """The target counts for each replica; otherwise for all replicas together."""


def list_measures(deployment: str, namespace: str, scaling: Scaling) -> list[Measure]:
    """Return the measure of each signal, in the order of the stack file."""
    return [_build_measure(deployment, namespace, scaling, signal) for signal in scaling.scale_on]


def _build_measure(deployment: str, namespace: str, scaling: Scaling, signal: Signal) -> Measure:
    # Prometheus itself sets the label namespace; the label job is the name of the PodMonitor.
    job = f'namespace="{namespace}",job="{namespace}/{deployment}"'
    match signal:
        case Queue():
            return Measure(_find_server(scaling).waiting.replace("%s", job), signal.per_replica, True)
        case Requests():
            return Measure(_find_server(scaling).served.replace("%s", job), signal.per_replica, True)
        case Latency():
            server = _find_server(scaling)
            # Without requests there is no latency. If the pods run, the latency counts as 0.
            idle = f"0 * {server.waiting}"
            return Measure(f"{server.latency} >= 0 or {idle}".replace("%s", job), signal.seconds, False)
        case SmActivity():
            pods = f'namespace="{namespace}",pod=~"{deployment.replace(".", "[.]")}-{RANDOM}+-{RANDOM}{{5}}"'
            return Measure(f"avg(avg_over_time(DCGM_FI_PROF_SM_ACTIVE{{{pods}}}[2m]))", signal.share, False)
        case Query():
            return Measure(signal.promql, signal.per_replica, True)


def _find_server(scaling: Scaling) -> InferenceServer:
    return INFERENCE_SERVERS[str(scaling.server)]
