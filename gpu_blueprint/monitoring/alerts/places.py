"""The first steps of alerts where the owner of a cluster chose the namespaces of Karpenter and the GPU Operator."""

from ...catalog.namespaces import GPU_OPERATOR, KUBE_SYSTEM
from ...config import StackConfig

_LABEL = "-l app.kubernetes.io/name=karpenter"
_KARPENTER = {
    f"kubectl get pods -n {KUBE_SYSTEM} {_LABEL}": f"kubectl get pods -A {_LABEL}",
    f"kubectl logs -n {KUBE_SYSTEM} {_LABEL}": f"kubectl logs -n NAMESPACE {_LABEL}",
    f"kubectl get deploy -n {KUBE_SYSTEM} karpenter": f"kubectl get deploy -A {_LABEL}",
}
"""Command for a Karpenter of the platform → command that finds the Karpenter of the cluster in any namespace."""


def place_steps(stack: StackConfig, steps: tuple[str, ...]) -> tuple[str, ...]:
    """Return the steps with the namespaces of this stack."""
    moved = {f"-n {GPU_OPERATOR} ": f"-n {stack.gpu_operator_namespace} "}
    if not stack.installs_karpenter:
        moved |= _KARPENTER
    for old, new in moved.items():
        steps = tuple(step.replace(old, new) for step in steps)
    return steps
