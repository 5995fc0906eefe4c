"""The policy that refuses tenants' changes to Kueue's own objects, even if another team's role grants the right."""

from ...cel.policy import AdmissionPolicy, AdmissionRule, Match
from ...cel.users import write_is_tenant
from ...config import StackConfig


def build_queue_object_policy(config: StackConfig) -> AdmissionPolicy:
    """Build the policy about Kueue's objects in the namespaces of tenants, such as Workloads and LocalQueues."""
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
