"""AMI releases must support the Kubernetes version of the cluster."""

from collections.abc import Iterator

from ..catalog.versions import REPAIR_BUDGETS_SINCE, find_oldest_ami
from ..config import StackConfig
from ..errors import Problem


def refuse_old_amis(stack: StackConfig) -> Iterator[Problem]:
    """Refuse AMI releases that are too old for the cluster's Kubernetes version."""
    for index, pool in enumerate(stack.pools):
        ami = pool.ami
        if ami.version is not None and not ami.row.is_release(ami.version):
            continue
        oldest, why = find_oldest_ami(ami.row, stack.cluster.release)
        if ami.row.order(ami.pinned) < ami.row.order(oldest):
            path = ("pools", index, "ami", "version")
            yield Problem("ami-too-old", path, f"{ami.pinned!r} is too old", f"use {oldest} or newer ({why})")


def refuse_repair_budgets_without_repair(stack: StackConfig) -> Iterator[Problem]:
    """Refuse budgets for the repair of nodes where Karpenter repairs none, or repairs without budgets."""
    cluster = stack.cluster
    if cluster.node_repair and cluster.has_repair_budgets:
        return
    reason = f"Karpenter {cluster.karpenter_version} repairs nodes without budgets and refuses the reason Unhealthy"
    hint = f'write cluster.karpenterVersion: "{REPAIR_BUDGETS_SINCE}" and nodeRepair: true, or leave Unhealthy out'
    if cluster.has_repair_budgets:
        reason, hint = "nothing repairs nodes, so the budget limits nothing", "set cluster.nodeRepair, or leave it out"
    for index, pool in enumerate(stack.pools):
        for at, budget in enumerate(pool.disruption.budgets or []):
            if "Unhealthy" in (budget.reasons or []):
                path = ("pools", index, "disruption", "budgets", at, "reasons")
                yield Problem("repair-budget-unused", path, reason, hint)
