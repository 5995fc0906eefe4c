"""From what a service scales on to PromQL: one number, whatever the load, and none where nothing is measured.

KEDA keeps the replicas as they are when a query has no value, so a target that is down never empties a service.
"""

from dataclasses import dataclass

from ..catalog.inference_servers import INFERENCE_SERVERS, InferenceServer
from ..config.services import Latency, Query, Queue, Requests, Scaling, Signal, SmActivity


@dataclass(frozen=True, slots=True)
class Measure:
    """A query, what it should be, and whether that is for each replica or for all of them."""

    promql: str
    target: float
    per_replica: bool


def measures(deployment: str, namespace: str, scaling: Scaling) -> list[Measure]:
    """One measure for each signal, in order."""
    return [_measure(deployment, namespace, scaling, one) for one in scaling.scale_on]


def scrape_job(deployment: str, namespace: str) -> str:
    """The label ``job`` of what a PodMonitor scrapes, as the Prometheus operator sets it."""
    return f"{namespace}/{deployment}"


def _measure(deployment: str, namespace: str, scaling: Scaling, one: Signal) -> Measure:
    job = f'job="{scrape_job(deployment, namespace)}"'
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
            # A Deployment's pods: its name, the hash of the ReplicaSet, five letters.
            pods = f'namespace="{namespace}",pod=~"{deployment}-[a-z0-9]+-[a-z0-9]{{5}}"'
            return Measure(f"avg(avg_over_time(DCGM_FI_PROF_SM_ACTIVE{{{pods}}}[2m]))", one.share, False)
        case Query():
            return Measure(one.promql, one.per_replica, True)


def _known(scaling: Scaling) -> InferenceServer:
    return INFERENCE_SERVERS[str(scaling.server)]
