"""Every namespace that the platform creates or relies on."""

KUBE_SYSTEM = "kube-system"
"""EKS creates it; Karpenter, the EFA device plugin and EKS's add-ons run there."""
GPU_OPERATOR = "gpu-operator"
MONITORING = "monitoring"
KEDA = "keda"
HEADROOM = "gpu-headroom"
"""The placeholder pods that keep GPUs warm."""
DEFAULT = "default"

PLATFORM = (GPU_OPERATOR, MONITORING, KEDA)
"""Namespaces that the platform creates for its own programs; they hold no tenant's pods and need no quota."""
