"""Programs of an existing cluster that the platform takes over, or hands to the owner of the cluster."""

from collections.abc import Iterator, Sequence

from ...catalog.versions import GPU_OPERATOR
from ...plan import PlannedResource
from ...sharing.operator_configs import PLUGIN_CONFIG_MAP
from ..tenant_view import read_map
from .retention import RELEASE

_KARPENTER = "karpenter"
_ASK = "`blueprint preflight STACK --kubeconfig FILE` tells what is in the way"


def find_handovers(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each program that changes hands: Pulumi sees only what the platform makes."""
    had, has = (_installs(plan, GPU_OPERATOR.name) for plan in (before, after))
    if had and _reads_our_files(after):
        yield (
            "the platform's GPU Operator is uninstalled, and with it the device plugin: running pods keep their GPUs, "
            f"and new pods wait until the operator of the cluster reads {PLUGIN_CONFIG_MAP}"
        )
    if has and _reads_our_files(before):
        yield f"the GPU Operator of the cluster must go first, since an operator obeys one ClusterPolicy; {_ASK}"
    if _has_pools(before) and not _installs(before, _KARPENTER) and _installs(after, _KARPENTER):
        yield (
            "the Karpenter of the cluster must go first, and its definitions must stay, since every NodePool goes with "
            f"them; {_ASK}"
        )


def _installs(plan: Sequence[PlannedResource], name: str) -> bool:
    return any(found.type == RELEASE and found.inputs.get("name") == name for found in plan)


def _reads_our_files(plan: Sequence[PlannedResource]) -> bool:
    return any(read_map(found.inputs, "metadata").get("name") == PLUGIN_CONFIG_MAP for found in plan)


def _has_pools(plan: Sequence[PlannedResource]) -> bool:
    return any(found.type.endswith(":NodePool") for found in plan)
