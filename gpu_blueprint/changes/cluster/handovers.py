"""Programs of an existing cluster that move from its owner to the platform, or from the platform to its owner."""

from collections.abc import Iterator, Sequence

from ...catalog.versions import GPU_OPERATOR
from ...plan import PlannedResource
from ...sharing.operator_configs import PLUGIN_CONFIG_MAP
from ..tenant_view import read_map
from .retention import RELEASE

_KARPENTER = "karpenter"
_PREFLIGHT_HINT = "`blueprint preflight STACK --kubeconfig FILE` names what must be uninstalled"


def find_handovers(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each program that gets another owner, since Pulumi sees only the platform's programs."""
    had, has = (_installs(plan, GPU_OPERATOR.name) for plan in (before, after))
    if had and _reads_our_files(after):
        yield (
            "the platform's GPU Operator is uninstalled, and with it the device plugin: running pods keep their GPUs, "
            f"and new pods wait until the operator of the cluster reads {PLUGIN_CONFIG_MAP}"
        )
    if has and _reads_our_files(before):
        reason = "since an operator obeys one ClusterPolicy"
        yield f"uninstall the GPU Operator of the cluster first, {reason}; {_PREFLIGHT_HINT}"
    if _has_pools(before) and not _installs(before, _KARPENTER) and _installs(after, _KARPENTER):
        yield (
            "uninstall the Karpenter of the cluster first, and keep its CRDs, since their deletion deletes every "
            f"NodePool; {_PREFLIGHT_HINT}"
        )


def _installs(plan: Sequence[PlannedResource], name: str) -> bool:
    return any(found.type == RELEASE and found.inputs.get("name") == name for found in plan)


def _reads_our_files(plan: Sequence[PlannedResource]) -> bool:
    return any(read_map(found.inputs, "metadata").get("name") == PLUGIN_CONFIG_MAP for found in plan)


def _has_pools(plan: Sequence[PlannedResource]) -> bool:
    return any(found.type.endswith(":NodePool") for found in plan)
