"""Kueue's whole configuration: a part is not enough, because the chart's value replaces the whole default."""

from typing import Any

from ...catalog.labels import TENANT_LABEL
from ...config import Queueing, StackConfig
from .names import MONEY
from .prices import has_hourly_ceilings, price_units, round_prices

FRAMEWORKS = ("batch/job", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "ray.io/rayjob")
"""Kinds of jobs that wait in queues. Kueue ignores a kind until the cluster has its CRD.

The list leaves out ``pod``, ``deployment`` and ``statefulset``: with them services would queue, and no pod of a tenant
would start while Kueue is down.
"""
_EXCLUDED_PREFIXES = ("cpu", "memory", "ephemeral-storage", "hugepages-", "vpc.amazonaws.com/")
"""Prefixes of resources that ResourceQuotas count and queues do not.

Queues count unknown GPU resources too, so jobs that request one never start. ``quotaCheckStrategy: IgnoreUndeclared``
would admit these jobs, and makes Kueue 0.19 exit at its start if prefixes are set.
"""


def build_configuration(stack: StackConfig, queueing: Queueing) -> dict[str, Any]:
    """Return the Configuration (config.kueue.x-k8s.io/v1beta2) of Kueue 0.19."""
    # LessThanOrEqualToFinalShare lets a job preempt a job of a team with an equal claim. Kueue would then start the
    # preempted job first, in an endless loop if both teams borrow more of another resource. In all other cases it
    # equals LessThanInitialShare.
    fair = {"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}}
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "clientConnection": {"qps": 100, "burst": 200},
        # Running jobs stay outside the queues when a stack gets queues: only new jobs get the queue `default`.
        "manageJobsWithoutQueueName": False,
        "managedJobsNamespaceSelector": {"matchExpressions": [{"key": TENANT_LABEL, "operator": "Exists"}]},
        "waitForPodsReady": {
            "timeout": queueing.ready_timeout,
            "recoveryTimeout": queueing.ready_timeout,
            "blockAdmission": False,
            # No backoffLimitCount: a job that Kueue deactivates is not requeued (kueue issue 15255).
            "requeuingStrategy": {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600},
        },
        "integrations": {"frameworks": list(FRAMEWORKS)},
        **(fair if queueing.fair else {}),
        # A job with the annotation kueue.x-k8s.io/elastic-job would run uncounted. Kueue reads feature gates either
        # from here or from its flags, never from both.
        "featureGates": {"ElasticJobsViaWorkloadSlices": False},
        "resources": {"excludeResourcePrefixes": list(_EXCLUDED_PREFIXES), **_build_transformations(stack)},
    }


def _build_transformations(stack: StackConfig) -> dict[str, Any]:
    """Return the transformations that add a job's price to its requests; empty without hourly ceilings."""
    if not has_hourly_ceilings(stack):
        return {}
    prices = round_prices(price_units(stack))
    return {
        "transformations": [
            {"input": name, "strategy": "Retain", "outputs": {MONEY: price}} for name, price in sorted(prices.items())
        ]
    }
