"""The versions of the lab's engines beside the versions that a stack names."""

from lab.engines import ENGINES

from ..config import StackConfig


def list_version_differences(config: StackConfig) -> list[str]:
    """Return a sentence for each program that the lab runs in another version than the stack will."""
    kubernetes, karpenter = ENGINES["kube-apiserver"].version, ENGINES["karpenter"].version
    pairs = (
        ("Kubernetes", kubernetes.rpartition(".")[0], kubernetes, config.cluster.kubernetes_version),
        ("Karpenter", karpenter, karpenter, config.cluster.karpenter_version),
    )
    return [
        f"the stack runs {name} {wanted}, the rehearsal ran {name} {run}"
        for name, compared, run, wanted in pairs
        if compared != wanted
    ]
