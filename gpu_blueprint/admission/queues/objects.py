"""Tenants write none of Kueue's own objects, even with a foreign role: a second line behind RBAC."""

from ...cel.policy import AdmissionPolicy, AdmissionRule, Match
from ...cel.users import write_is_tenant
from ...config import StackConfig


def build_queue_object_policy(config: StackConfig) -> AdmissionPolicy:
    """Build the policy about Workloads and LocalQueues; no tenant has rights on kinds without a namespace."""
    return AdmissionPolicy(
        name="gpu-blueprint-queue-objects",
        matches=(
            Match(
                group="kueue.x-k8s.io",
                resources=("*/*",),
                versions=("*",),
                operations=("CREATE", "UPDATE", "DELETE"),
            ),
        ),
        conditions={"by-a-tenant": write_is_tenant(config)},
        rules=(
            AdmissionRule(
                id="queue-objects",
                keeps="A tenant cannot make or change queues, nor the Workloads by which a queue counts its jobs.",
                expression="false",
                message="queues and Workloads are made by the platform: change the job, or ask for another weight or "
                "limit in the stack file (queue)",
            ),
        ),
        always_denies=True,
    )
