"""CrossGuard rules for GPU platforms on EKS: values in importable modules, the same in the editor, in CI and in `pulumi`."""

from . import cluster, cost, gpu, iam, karpenter, network, supply_chain, tags, teardown, tenancy
from .rule import UNKNOWN, Resource, Rule, Stack, Verdict, default_tags, judge
from .waivers import Waiver, waiver_of

RULES: tuple[Rule, ...] = (
    *gpu.RULES,
    *karpenter.RULES,
    *cluster.RULES,
    *network.RULES,
    *iam.RULES,
    *tenancy.RULES,
    *supply_chain.RULES,
    *tags.RULES,
    *cost.RULES,
    *teardown.RULES,
)

__all__ = ["RULES", "UNKNOWN", "Resource", "Rule", "Stack", "Verdict", "Waiver", "default_tags", "judge", "waiver_of"]
