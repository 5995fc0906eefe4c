"""The objects of a model beside its pods: Deployment, Service, PodDisruptionBudget and NetworkPolicy."""

from typing import Any

from ...catalog.inference_servers import INFERENCE_SERVERS
from ...config import StackConfig
from ...config.models import ServedModel
from ...config.services import Replicas
from .pods import build_template
from .starts import find_progress_limit

SERVICE_PORT = 80
"""Port of the Service for HTTP; gRPC keeps the server's own port."""


def build_deployment_spec(config: StackConfig, model: ServedModel) -> Any:
    """Return the ``spec`` of the Deployment of one version; KEDA sets its replicas.

    A replica ends before its successor starts, since a pool at its ceiling has no room for both. A replica that may be
    alone waits for its successor, because callers would else get no answer.
    """
    return {
        "progressDeadlineSeconds": find_progress_limit(config, config.gpu_pools_by_name[model.pool], model),
        "revisionHistoryLimit": 3,
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}
            if replaces_first(model.replicas)
            else {"maxSurge": 1, "maxUnavailable": 0},
        },
        "selector": {"matchLabels": model.pod_labels},
        "template": build_template(config, model),
    }


def replaces_first(replicas: Replicas) -> bool:
    """Return whether a rollout of a version ends a replica before it starts the successor.

    Not where the version may have a single replica. Another version beside it does not help: an edit of the fields that
    both share starts two rollouts at once, which ask no budget, and both single replicas would end.
    """
    return replicas.min > 1


def build_service_spec(model: ServedModel) -> Any:
    """Return the ``spec`` of the Service, which sends requests to all versions, by their replicas."""
    return {
        "type": "ClusterIP",
        "selector": model.shared_labels,
        "ports": [
            {"name": name, "port": SERVICE_PORT if name == "http" else port, "targetPort": name, "protocol": "TCP"}
            for name, port in INFERENCE_SERVERS[model.server_name].request_ports.items()
        ],
    }


def build_budget_spec(model: ServedModel) -> Any:
    """Return the ``spec`` of the PodDisruptionBudget of all versions together.

    It counts the pods that are away. A least number of pods would block the drain of a node with the last replica. A
    budget for each version would let a node take a replica of each along, and with few replicas all of them.
    """
    return {
        "maxUnavailable": 1,
        "selector": {"matchLabels": model.shared_labels},
        # A replica that never gets ready must not keep its node.
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }
