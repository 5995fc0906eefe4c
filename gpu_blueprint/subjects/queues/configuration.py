"""Kueue's own configuration, complete: the chart replaces its default as a whole."""

from typing import Any

from ...catalog.labels import TENANT_LABEL
from ...config import Queueing, StackConfig
from .names import MONEY
from .prices import has_hourly_ceilings, price_units, round_prices

FRAMEWORKS = ("batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "ray.io/rayjob")
"""Kinds of jobs that wait in queues. Kueue leaves a kind alone until the cluster has it.

Not ``pod``, ``deployment`` and ``statefulset``: services would queue, and nothing of a tenant would start while Kueue
is down.
"""
_UNCOUNTED = ("cpu", "memory", "ephemeral-storage", "hugepages-", "vpc.amazonaws.com/")
"""Prefixes of resources that queues do not count; ResourceQuotas do. An unknown GPU stays counted, and so unavailable.

``quotaCheckStrategy: IgnoreUndeclared`` would let it through, and ends Kueue 0.19 at the start beside prefixes.
"""


def build_configuration(stack: StackConfig, queueing: Queueing) -> dict[str, Any]:
    """Return the Configuration (config.kueue.x-k8s.io/v1beta2), of Kueue 0.19."""
    # LessThanOrEqualToFinalShare would let a job stop a job of a team with an equal claim, and Kueue then starts the
    # stopped job first: for ever, if both teams borrow more of another resource. Its other cases are those of
    # LessThanInitialShare.
    fair = {"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}}
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "clientConnection": {"qps": 100, "burst": 200},
        # Jobs that run when queues are switched on stay as they are: only new jobs get the queue `default`.
        "manageJobsWithoutQueueName": False,
        "managedJobsNamespaceSelector": {"matchExpressions": [{"key": TENANT_LABEL, "operator": "Exists"}]},
        "waitForPodsReady": {
            "timeout": queueing.ready_timeout,
            "recoveryTimeout": queueing.ready_timeout,
            "blockAdmission": False,
            # No backoffLimitCount: a job that Kueue gives up does not come back by itself (kueue issue 15255).
            "requeuingStrategy": {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600},
        },
        "integrations": {"frameworks": list(FRAMEWORKS)},
        **(fair if queueing.fair else {}),
        # A job with the annotation kueue.x-k8s.io/elastic-job, started by hand, would run without being counted. Kueue
        # takes gates from here or from its flags, never from both.
        "featureGates": {"ElasticJobsViaWorkloadSlices": False},
        "resources": {"excludeResourcePrefixes": list(_UNCOUNTED), **_build_transformations(stack)},
    }


def _build_transformations(stack: StackConfig) -> dict[str, Any]:
    """Return the prices by which Kueue adds dollars to the requests of a job."""
    if not has_hourly_ceilings(stack):
        return {}
    prices = round_prices(price_units(stack))
    return {
        "transformations": [
            {"input": name, "strategy": "Retain", "outputs": {MONEY: price}} for name, price in sorted(prices.items())
        ]
    }
