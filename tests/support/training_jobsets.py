"""A training run on several nodes, written by hand."""

from typing import Any

from gpu_blueprint.catalog.versions import PAUSE_IMAGE
from gpu_blueprint.config import StackConfig
from gpu_blueprint.queues.names import DEFAULT_QUEUE, QUEUE_LABEL
from gpu_blueprint.sharing import POOL_KEY
from gpu_blueprint.training.run import TrainingRun
from lab.jobset import API_VERSION
from lab.kubelets import STOPS

_ZONE = "topology.kubernetes.io/zone"
_NAME = "jobset.sigs.k8s.io/jobset-name"


def build_jobset(config: StackConfig, run: TrainingRun) -> dict[str, Any]:
    """Return the JobSet of a run. A trainer that is told to stop writes a checkpoint and ends with 75.

    The Job of all nodes has no second try of its own. A node that is lost and the codes 42 and 75 fail it with the same
    reason, so the message tells 42, after which nobody tries again.
    """
    queued = run.pool in config.queued_pools
    labels = {QUEUE_LABEL: DEFAULT_QUEUE} if queued else {}
    return {
        "apiVersion": API_VERSION,
        "kind": "JobSet",
        "metadata": {"name": run.name, "namespace": run.tenant.namespace_name, "labels": labels},
        "spec": {
            "suspend": queued,
            "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
            "successPolicy": {"operator": "All"},
            "failurePolicy": {
                "maxRestarts": 20,
                "restartStrategy": "BlockingRecreate",
                "rules": [
                    {
                        "name": "doNotRetry",
                        "action": "FailJobSet",
                        "onJobFailureReasons": ["PodFailurePolicy"],
                        "onJobFailureMessagePatterns": [".*exit code 42.*"],
                    },
                    {
                        "name": "hostDisruption",
                        "action": "RestartJobSetAndIgnoreMaxRestarts",
                        "onJobFailureReasons": ["PodFailurePolicy"],
                    },
                ],
            },
            "coordinator": {"replicatedJob": "node", "jobIndex": 0, "podIndex": 0},
            "replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": _build_job(run)}}],
        },
    }


def _build_job(run: TrainingRun) -> dict[str, Any]:
    return {
        "parallelism": run.nodes,
        "completions": run.nodes,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "podFailurePolicy": {
            "rules": [
                {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                {
                    "action": "FailJob",
                    "onExitCodes": {"containerName": "train", "operator": "In", "values": [42, 75]},
                },
            ]
        },
        "template": {"metadata": {"annotations": {STOPS: "75"}}, "spec": _build_pod(run)},
    }


def _build_pod(run: TrainingRun) -> dict[str, Any]:
    room = {"cpu": "32", "memory": "256Gi"}
    together = {"topologyKey": _ZONE, "labelSelector": {"matchLabels": {_NAME: run.name}}}
    container = {
        "name": "train",
        "image": PAUSE_IMAGE,
        "command": list(run.command),
        "resources": {"requests": room, "limits": {"nvidia.com/gpu": str(run.gpus), "memory": room["memory"]}},
    }
    return {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 110,
        "nodeSelector": {POOL_KEY: run.pool.name},
        "tolerations": [{"key": taint["key"], "operator": "Exists"} for taint in run.pool.node_taints],
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [together]}},
        "containers": [container],
    }
