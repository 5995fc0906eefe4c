"""Steps of a replica's graceful shutdown: what happens to in-flight requests, and to the next request."""

from collections.abc import Iterator

from ...config import Pool, StackConfig
from ...config.models import ServedModel
from ...cost.gpus import count_replicas
from ...subjects.models.objects import build_deployment_spec
from ...subjects.models.shutdown import PRE_STOP_SECONDS, find_longest_grace_seconds, plan_shutdown
from ...subjects.pools.words import write_seconds
from ..step import Step


def explain_ends(stack: StackConfig, pool: Pool, model: ServedModel) -> Iterator[Step]:
    """Yield a step for each cause of a replica's termination."""
    yield Step("graceful shutdown", tuple(_describe_shutdown(pool, model)))
    yield Step("a rollout", tuple(_describe_rollout(stack, model)))
    yield Step("a node drains", tuple(_describe_drain(pool, model)))
    if "spot" in pool.purchase:
        yield Step("spot interruption", tuple(_describe_interruption(stack, pool, model)))


def _describe_shutdown(pool: Pool, model: ServedModel) -> Iterator[str]:
    shutdown = plan_shutdown(pool, model)
    yield "the pod leaves the Service's endpoints at once; new requests go to the other replicas"
    yield f"preStop waits {PRE_STOP_SECONDS} s, until kube-proxy on every node knows that; then the server gets SIGTERM"
    if shutdown.finish_requests_seconds:
        yield f"in-flight requests have {write_seconds(shutdown.finish_requests_seconds)} more, then they break"
    else:
        yield "in-flight requests break then, since the pool's nodes wait no longer"
    total = write_seconds(shutdown.termination_grace_seconds)
    yield f"the pod is killed after {total} in all (terminationGracePeriodSeconds)"


def _describe_rollout(stack: StackConfig, model: ServedModel) -> Iterator[str]:
    """Yield the order in which a rollout replaces the replicas of each version, as its Deployment states it."""
    versions = model.list_versions()
    for version in versions:
        of = f"{version.deployment}: " if len(versions) > 1 else ""
        settings = build_deployment_spec(stack, version)["strategy"]["rollingUpdate"]
        if settings["maxSurge"]:
            first = "a new replica starts before an old one terminates (maxSurge 1)"
            yield f"{of}{first}: the pool needs capacity for one replica more"
        else:
            first = "a replica terminates before its successor starts (maxUnavailable 1)"
            yield f"{of}{first}, so the pool needs no more capacity, also at its limit"
            yield f"{of}meanwhile one replica is missing: the others take its requests"
    yield "a new replica takes requests when its readiness probe succeeds"


def _describe_drain(pool: Pool, model: ServedModel) -> Iterator[str]:
    yield "Karpenter asks the PodDisruptionBudget before each eviction: one replica at a time, each as above"
    if model.replicas.min < 2:
        yield "a single replica is evicted too, and no replica answers until a new one is ready (replicas.min: 2)"
    most = pool.lifecycle.termination_grace_period
    yield f"after {most or '1h'} the node is terminated, whatever still runs there (terminationGracePeriod)"


def _describe_interruption(stack: StackConfig, pool: Pool, model: ServedModel) -> Iterator[str]:
    """Yield what an interruption does. Karpenter asks the PodDisruptionBudget here too; EC2 does not wait for it.

    Source: aws/karpenter-provider-aws, pull request 3789. Read 2026-11-23.
    """
    grace = plan_shutdown(pool, model).termination_grace_seconds
    most = max((count_replicas(pool, row, model.to_service()) for row in stack.list_instances(pool)), default=0)
    yield "EC2 gives two minutes' notice before it interrupts a spot node, and Karpenter drains it"
    if most > 1:
        yield f"up to {most} replicas share a node, and their PodDisruptionBudget allows one eviction in this time"
        yield "the others terminate with the node, and their requests break: nothing spreads replicas over nodes"
    if grace <= find_longest_grace_seconds(pool):
        yield f"the graceful shutdown above fits into these two minutes ({write_seconds(grace)})"
    else:
        yield f"the graceful shutdown above takes {write_seconds(grace)}: requests in flight after two minutes are lost"
    yield "callers try a broken request again; new replicas wait for a new node"
