"""Services that scale with their load: what is measured, from how many replicas to how many."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..errors import Problem
from ..model import Model
from .addresses import ClusterUrl
from .network import repeated
from .promql import fault
from .scalars import LabelValue, Name, ObjectName, PodLabelKey, Share, Threshold
from .tenants import GpuAmount

NAME_LABEL = "app.kubernetes.io/name"


class Replicas(Model):
    """The bounds of a service."""

    min: int = Field(1, ge=0, le=1000)
    """Replicas that stay warm when nobody asks; 0 only with a `query`, since a service without pods measures nothing."""
    max: int = Field(ge=1, le=1000)
    """Most replicas."""

    def problems(self) -> Iterator[Problem]:
        if self.min > self.max:
            yield Problem("todo", ("min",), f"{self.min} is more than max, {self.max}")


class Queue(Model):
    """Requests that wait inside the server."""

    signal: Literal["queue"]
    """The length of the queue: rises at once when a replica is missing."""
    per_replica: Threshold
    """How many may wait for each replica."""


class Requests(Model):
    """Requests a second."""

    signal: Literal["requests"]
    """The requests that are answered."""
    per_replica: Threshold
    """How many a second one replica answers well."""


class Latency(Model):
    """How long an answer takes: vLLM, the 95th percentile of the time to the first token; Triton, the mean of a whole request."""

    signal: Literal["latency"]
    """The time of an answer."""
    seconds: Threshold
    """How long it may take."""


class SmActivity(Model):
    """How busy the streaming multiprocessors of the service's GPUs are."""

    signal: Literal["sm-activity"]
    """SM activity, the mean over the service's GPUs; not the GPU utilisation that nvidia-smi shows."""
    share: Share
    """The share of cycles that is aimed at, such as 0.6."""

    def problems(self) -> Iterator[Problem]:
        if not 0.1 <= self.share <= 0.9:
            yield Problem("todo", ("share",), f"{self.share:g} is never left or never reached: aim at 0.1 to 0.9")


class Query(Model):
    """Any series that Prometheus has, such as the length of an SQS queue or the requests at a gateway."""

    signal: Literal["query"]
    """A query of your own."""
    promql: str = Field(min_length=1, max_length=2000)
    """PromQL that gives one number. Where `replicas.min` is 0 it must have a value when no pod runs."""
    per_replica: Threshold
    """How much of it one replica copes with."""

    def problems(self) -> Iterator[Problem]:
        if why := fault(self.promql):
            yield Problem("todo", ("promql",), f"{self.promql!r} {why}")


Signal = Annotated[Queue | Requests | Latency | SmActivity | Query, Field(discriminator="signal")]


class Scaling(Model):
    """How a Deployment scales; up at once, down after 15 quiet minutes. Leave `replicas` out of the Deployment itself."""

    server: Literal["vllm", "triton"] | None = None
    """What the pods run: its metrics are then scraped and known. The container must declare the port: 8000 for vLLM, 8002 for Triton."""
    pod_labels: Annotated[dict[PodLabelKey, LabelValue], Field(max_length=10)] = {}
    """Labels that its pods carry; `app.kubernetes.io/name` with the name of the service unless given."""
    replicas: Replicas
    """How few, how many."""
    scale_on: list[Signal] = Field(min_length=1, max_length=5)
    """What is measured; the signal that asks for most replicas wins."""

    def selects(self, deployment: str) -> dict[str, str]:
        """The labels by which the pods of a Deployment are found."""
        return dict(self.pod_labels) or {NAME_LABEL: deployment}

    def problems(self) -> Iterator[Problem]:
        if self.pod_labels and self.server is None:
            yield Problem("todo", ("podLabels",), "they find the pods that a known server's metrics are read from: say server, or leave them out")  # fmt: skip
        kinds = [one.signal for one in self.scale_on]
        yield from repeated([kind for kind in kinds if kind != "query"], "scaleOn")
        for index, kind in enumerate(kinds):
            if self.server is None and kind in ("queue", "requests", "latency"):
                text = f"{kind!r} is read from the server's own metrics: say server (vllm, triton), or measure it by a query"
                yield Problem("todo", ("scaleOn", index, "signal"), text)
        if self.replicas.min == 0 and "query" not in kinds:
            text = (
                f"{' and '.join(kinds)} cannot be measured while no pod runs, so nothing would wake the service: keep 1, or add a "
                "signal: query on what outlives the pods, such as the queue before them"
            )
            yield Problem("todo", ("replicas", "min"), text)


class OwnScaling(Scaling):
    """What another program says of a Deployment that it has scaled."""

    deployment: ObjectName
    """Its name."""
    namespace: ObjectName
    """Where it is."""
    prometheus: ClusterUrl
    """Where KEDA reads."""


class Service(Scaling):
    """One inference service of a tenant: a Deployment that the team makes, without `replicas`, and that the platform scales: up at
    once, down after 15 quiet minutes. docs/services.md shows one."""

    name: Name
    """Name of the Deployment."""
    tenant: str
    """Whose it is: the Deployment is in the tenant's namespace."""
    pool: str
    """Where it runs."""
    gpus: GpuAmount = 1
    """What one replica asks for, counted in what the pool hands out; by MIG profile where it hands out several."""
