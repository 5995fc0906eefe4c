"""The objects of a model beside its pods: Deployment, Service, PodDisruptionBudget and NetworkPolicy."""

from typing import Any

from ..config import StackConfig
from ..config.models import NAME_LABEL, ServedModel
from .pods import build_template

_PROGRESS_S = 3600
"""Seconds after which Kubernetes says that a rollout stands still: a node, an image and the weights take their time."""
SERVICE_PORT = 80


def build_deployment_spec(config: StackConfig, model: ServedModel) -> Any:
    """Return the ``spec`` of the Deployment of one version; KEDA sets its replicas.

    A replica ends before its successor starts, since a pool at its ceiling has no room for both. A replica that may be
    alone waits for its successor, because callers would else get no answer.
    """
    return {
        "progressDeadlineSeconds": _PROGRESS_S,
        "revisionHistoryLimit": 3,
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}
            if replaces_first(config, model)
            else {"maxSurge": 1, "maxUnavailable": 0},
        },
        "selector": {"matchLabels": model.pod_labels},
        "template": build_template(config, model),
    }


def replaces_first(config: StackConfig, version: ServedModel) -> bool:
    """Return whether a rollout ends a replica before it starts the successor: not where a replica may be alone.

    A version with a single replica is not alone if another version of its model runs beside it.
    """
    model = next((model for model in config.models if model.name == version.name), version)
    return sum(part.replicas.min for part in model.list_versions()) > 1


def build_service_spec(model: ServedModel) -> Any:
    """Return the ``spec`` of the Service, which sends requests to all versions, by their replicas."""
    return {
        "type": "ClusterIP",
        "selector": {NAME_LABEL: model.name},
        "ports": [{"name": "http", "port": SERVICE_PORT, "targetPort": "http", "protocol": "TCP"}],
    }


def build_budget_spec(model: ServedModel) -> Any:
    """Return the ``spec`` of the PodDisruptionBudget of all versions together.

    It counts the pods that are away. A least number of pods would block the drain of a node with the last replica. A
    budget for each version would let a node take a replica of each along, and with few replicas all of them.
    """
    return {
        "maxUnavailable": 1,
        "selector": {"matchLabels": {NAME_LABEL: model.name}},
        # A replica that never gets ready must not keep its node.
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }
