"""From what a service scales on to PromQL: one number, whatever the load, and none where nothing is measured.

KEDA keeps the replicas as they are when a query has no value, so a target that is down never empties a service.
"""

from dataclasses import dataclass

from ..catalog.inference_servers import INFERENCE_SERVERS, InferenceServer
from ..config.services import Latency, Query, Queue, Requests, Scaling, Signal, SmActivity

_LETTERS = "[bcdfghjklmnpqrstvwxz2456789]"
"""Of which Kubernetes makes the ends of pod names (k8s.io/apimachinery, util/rand): so the pods of a Deployment can be told
from those of a Job whose name begins alike."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A query, what it should be, and whether that is for each replica or for all of them."""

    promql: str
    target: float
    per_replica: bool


def measures(deployment: str, namespace: str, scaling: Scaling) -> list[Measure]:
    """One measure for each signal, in order."""
    return [_measure(deployment, namespace, scaling, one) for one in scaling.scale_on]


def _measure(deployment: str, namespace: str, scaling: Scaling, one: Signal) -> Measure:
    # Prometheus stamps the namespace; a job is whatever a monitor calls it.
    job = f'namespace="{namespace}",job="{namespace}/{deployment}"'
    match one:
        case Queue():
            return Measure(_known(scaling).waiting.replace("%s", job), one.per_replica, True)
        case Requests():
            return Measure(_known(scaling).served.replace("%s", job), one.per_replica, True)
        case Latency():
            server = _known(scaling)
            # While nobody asks, there is no latency but the pods are there: that counts as 0.
            idle = f"0 * {server.waiting}"
            return Measure(f"{server.latency} >= 0 or {idle}".replace("%s", job), one.seconds, False)
        case SmActivity():
            pods = f'namespace="{namespace}",pod=~"{deployment.replace(".", "[.]")}-{_LETTERS}+-{_LETTERS}{{5}}"'
            return Measure(f"avg(avg_over_time(DCGM_FI_PROF_SM_ACTIVE{{{pods}}}[2m]))", one.share, False)
        case Query():
            return Measure(one.promql, one.per_replica, True)


def _known(scaling: Scaling) -> InferenceServer:
    return INFERENCE_SERVERS[str(scaling.server)]
