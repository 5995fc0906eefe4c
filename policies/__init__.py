"""CrossGuard rules for GPU platforms on EKS, as plain values that run in the editor, in CI and in `pulumi`."""

from . import (
    admission,
    cluster,
    cost,
    disruption,
    evictions,
    exposure,
    gpu_operator,
    gpu_pools,
    gpu_runtime,
    iam,
    managed_policies,
    needed_parts,
    network,
    node_classes,
    node_overlays,
    queues,
    rbac,
    readable,
    storage,
    supply_chain,
    tags,
    teardown,
    tenancy,
    trust,
)
from .resources import JUDGED_INSIDE, Resource, Stack, read_default_tags
from .rule import Rule, Verdict, judge
from .values import UNKNOWN
from .waivers import Waiver, find_waiver

RULES: tuple[Rule, ...] = (
    *gpu_pools.RULES,
    *node_overlays.RULES,
    *gpu_operator.RULES,
    *node_classes.RULES,
    *gpu_runtime.RULES,
    *disruption.RULES,
    *evictions.RULES,
    *cluster.RULES,
    *network.RULES,
    *iam.RULES,
    *trust.RULES,
    *managed_policies.RULES,
    *storage.RULES,
    *tenancy.RULES,
    *admission.RULES,
    *queues.RULES,
    *rbac.RULES,
    *needed_parts.RULES,
    *supply_chain.RULES,
    *exposure.RULES,
    *tags.RULES,
    *cost.RULES,
    *teardown.RULES,
    *readable.RULES,
)

__all__ = [
    "JUDGED_INSIDE",
    "RULES",
    "UNKNOWN",
    "Resource",
    "Rule",
    "Stack",
    "Verdict",
    "Waiver",
    "find_waiver",
    "judge",
    "read_default_tags",
]
