"""Versions in which the lab's engines and a stack differ."""

from lab.engines import ENGINES

from ..config import StackConfig


def list_version_differences(config: StackConfig) -> list[str]:
    """Return a sentence for each program whose version in the lab differs from the stack's."""
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
