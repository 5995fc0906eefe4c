"""The end of a model's replicas, explained: what becomes of a request in flight, and of the next request."""

from collections.abc import Iterator

from ...config import Pool, StackConfig
from ...config.models import ServedModel
from ...cost.gpus import count_replicas
from ...subjects.models.drains import LEAVE_S, find_most_grace, plan_drain
from ...subjects.models.objects import build_deployment_spec
from ...subjects.pools.words import write_seconds
from ..step import Step


def explain_ends(stack: StackConfig, pool: Pool, model: ServedModel) -> Iterator[Step]:
    """Yield a step for each way in which replicas end."""
    yield Step("a replica ends", tuple(_describe_end(pool, model)))
    yield Step("a rollout", tuple(_describe_rollout(stack, model)))
    yield Step("a node drains", tuple(_describe_drain(pool, model)))
    if "spot" in pool.purchase:
        yield Step("spot goes", tuple(_describe_spot(stack, pool, model)))


def _describe_end(pool: Pool, model: ServedModel) -> Iterator[str]:
    drain = plan_drain(pool, model)
    yield "it leaves the Service at once; new requests go to the other replicas"
    yield f"after {LEAVE_S} s, when every node knows that, its server hears of the end and takes no more requests"
    if drain.answer:
        yield f"requests in flight get {write_seconds(drain.answer)} more, then their connection breaks"
    else:
        yield "requests in flight break off then, since the pool's nodes leave no more time"
    yield f"after {write_seconds(drain.grace)} in all the pod is killed (terminationGracePeriodSeconds)"


def _describe_rollout(stack: StackConfig, model: ServedModel) -> Iterator[str]:
    """Yield the order in which a rollout replaces the replicas of each version, as its Deployment states it."""
    versions = model.list_versions()
    for version in versions:
        of = f"{version.deployment}: " if len(versions) > 1 else ""
        settings = build_deployment_spec(stack, version)["strategy"]["rollingUpdate"]
        if settings["maxSurge"]:
            first = "a new replica starts before an old replica ends (maxSurge 1)"
            yield f"{of}{first}: it needs room for one replica more"
        else:
            first = "a replica ends before its successor starts (maxUnavailable 1)"
            yield f"{of}{first}, so it needs no room, also at the ceiling"
            yield f"{of}meanwhile one replica is away: the others take its requests"
    yield "a new replica takes requests only when its readiness probe answers"


def _describe_drain(pool: Pool, model: ServedModel) -> Iterator[str]:
    yield "Karpenter asks the PodDisruptionBudget before it ends a replica: one at a time, each as above"
    if model.replicas.min < 2:
        yield "a replica that is alone goes too, and nobody answers until a new replica is ready (replicas.min: 2)"
    most = pool.lifecycle.termination_grace_period
    yield f"after {most or '1h'} the node goes by force, whatever still runs there"


def _describe_spot(stack: StackConfig, pool: Pool, model: ServedModel) -> Iterator[str]:
    """Yield the end with a spot node. Karpenter asks the budget here too, and EC2 does not wait for its answer.

    Source: aws/karpenter-provider-aws, pull request 3789. Read 2026-11-23.
    """
    drain = plan_drain(pool, model)
    most = max((count_replicas(pool, row, model.to_service()) for row in stack.list_instances(pool)), default=0)
    yield "EC2 warns two minutes before it takes a spot node, and Karpenter drains it"
    if most > 1:
        yield f"up to {most} replicas share a node, and the PodDisruptionBudget lets one of them leave in this time"
        yield "the others go with the node, and their requests break: nothing keeps all replicas from one node"
    if drain.grace <= find_most_grace(pool):
        yield f"the end above fits into these two minutes ({write_seconds(drain.grace)})"
    else:
        yield f"the end above takes {write_seconds(drain.grace)}: requests that still run after two minutes are lost"
    yield "callers try a broken request again; new replicas wait for a new node"
