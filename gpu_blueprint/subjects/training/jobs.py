"""The Job of a run on one node, and the bounds of all runs."""

from typing import Any

from ...config import StackConfig
from ..queues.names import DEFAULT_QUEUE, PRIORITY_LABEL, QUEUE_LABEL
from .pods import CONTAINER, build_template
from .run import NO_RETRY_CODE, STOPPED_CODE, TrainingRun

LOST = {"type": "DisruptionTarget", "status": "True"}
"""Condition of a pod whose node terminates, or that gives way to another."""
KEEP_S = 24 * 3600
"""Seconds for which people can read the logs of a run that has ended."""


def build_job(config: StackConfig, run: TrainingRun) -> dict[str, Any]:
    """Build the Job, ready for `kubectl apply` by a member of the tenant."""
    rules = [
        {"action": "FailJob", "onExitCodes": match_codes(NO_RETRY_CODE)},
        {"action": "Ignore", "onExitCodes": match_codes(STOPPED_CODE)},
        {"action": "Ignore", "onPodConditions": [dict(LOST)]},
    ]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": build_metadata(config, run),
        "spec": {
            "ttlSecondsAfterFinished": KEEP_S,
            "backoffLimit": run.most_restarts,
            "podFailurePolicy": {"rules": rules},
            "template": build_template(config, run),
        },
    }


def match_codes(*codes: int) -> dict[str, Any]:
    """Return the condition of a rule about pods that end with one of some codes."""
    return {"containerName": CONTAINER, "operator": "In", "values": [*codes]}


def build_metadata(config: StackConfig, run: TrainingRun) -> dict[str, Any]:
    """Return name, namespace, and the labels of the queue if the pool has one.

    A run that can continue elsewhere gives way before others do. The run does not say ``suspend``: Kueue writes it, and
    a second `kubectl apply` of the same text would stop a run that works.
    """
    place = {"name": run.name, "namespace": run.tenant.namespace_name}
    if run.pool not in config.queued_pools:
        return place
    turn = "checkpointed" if run.pool.checkpointed else run.pool.purpose
    return {**place, "labels": {QUEUE_LABEL: DEFAULT_QUEUE, PRIORITY_LABEL: turn}}
