"""The JobSet of a run on several nodes: one Job whose pods start together, end together and restart together.

Fields and defaults: kubernetes-sigs/jobset 0.12.0, ``api/jobset/v1alpha2`` and the webhook. A pod that fails ends its
Job, and the rules of the JobSet decide by the Job's reason. A program whose peer has gone ends with a code of its own,
often before the lost pod is marked: such a failure has no rule, so it restarts the set and counts.
"""

from typing import Any

from ...config import StackConfig
from .jobs import KEEP_S, LOST, build_metadata, match_codes
from .pods import build_template
from .run import NO_RETRY_CODE, STOPPED_CODE, TrainingRun

API_VERSION = "jobset.x-k8s.io/v1alpha2"
NODES = "node"
"""Name of the Job in the set; its pods are called ``<run>-node-0-<index>``."""
_LONGEST_LABEL = 63
_RANDOM_END = 6
"""Length of the end of a pod's name, such as ``-x7k2p``."""


def build_jobset(config: StackConfig, run: TrainingRun) -> dict[str, Any]:
    """Build the JobSet, ready for `kubectl apply` by a member of the tenant."""
    return {
        "apiVersion": API_VERSION,
        "kind": "JobSet",
        "metadata": build_metadata(config, run),
        "spec": {
            "ttlSecondsAfterFinished": KEEP_S,
            # Pods find the first node by its name before it is ready.
            "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
            "coordinator": {"replicatedJob": NODES, "jobIndex": 0, "podIndex": 0},
            "failurePolicy": _build_failure_policy(run),
            "replicatedJobs": [{"name": NODES, "replicas": 1, "template": {"spec": _build_nodes(config, run)}}],
        },
    }


def _build_failure_policy(run: TrainingRun) -> dict[str, Any]:
    """Return the rules about a Job that failed; the first that matches wins, and without a match the restart counts."""
    reasons = ["PodFailurePolicy"]
    return {
        "maxRestarts": run.most_restarts,
        # All old pods go before new ones come: two sets would not fit on the GPUs.
        "restartStrategy": "BlockingRecreate",
        "rules": [
            {
                "name": "doNotRetry",
                "action": "FailJobSet",
                "onJobFailureReasons": reasons,
                "onJobFailureMessagePatterns": [f".*exit code {NO_RETRY_CODE}.*"],
            },
            {
                "name": "hostDisruption",
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": [*reasons],
            },
        ],
    }


def _build_nodes(config: StackConfig, run: TrainingRun) -> dict[str, Any]:
    """Return the ``spec`` of the Job with one pod on each node."""
    rules = [
        {"action": "FailJob", "onExitCodes": match_codes(NO_RETRY_CODE, STOPPED_CODE)},
        {"action": "FailJob", "onPodConditions": [dict(LOST)]},
    ]
    return {
        "parallelism": run.nodes,
        "completions": run.nodes,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "podFailurePolicy": {"rules": rules},
        "template": build_template(config, run),
    }


def find_longest_name(nodes: int) -> int:
    """Return the most characters of a JobSet's name.

    The webhook refuses names whose pods, or whose label with the first node's address, ``<name>-node-0-0.<name>``, get
    longer than a label.
    """
    by_pod = _LONGEST_LABEL - len(f"-{NODES}-0-{nodes - 1}") - _RANDOM_END
    by_address = (_LONGEST_LABEL - len(f"-{NODES}-0-0.")) // 2
    return min(by_pod, by_address)
