"""Where AWS publishes the id of each node image: public parameters of SSM.

Source: aws/karpenter-provider-aws pkg/providers/amifamily/al2023.go @0546f04, bottlerocket.go @b522a94: what Karpenter
looks up for an alias ``family@version``. It skips what it does not find, so a pin without an image for GPUs leaves GPU
pools without nodes and says so only in its log. Read 2026-11-21.
"""

from typing import Literal

from .ami_families import BOTTLEROCKET, AmiFamily

Variant = Literal["standard", "nvidia"]


def image_parameter(family: AmiFamily, version: str, kubernetes: str, arch: str, variant: Variant) -> str:
    """The parameter that holds the id of one image; ``arch`` as EC2 rows have it, amd64 or arm64."""
    machine = "x86_64" if arch == "amd64" else arch
    if family is BOTTLEROCKET:
        flavour = f"aws-k8s-{kubernetes}" + ("-nvidia" if variant == "nvidia" else "")
        return f"/aws/service/bottlerocket/{flavour}/{machine}/{version.removeprefix('v')}/image_id"
    name = f"amazon-eks-node-al2023-{machine}-{variant}-{kubernetes}-{version}"
    return f"/aws/service/eks/optimized-ami/{kubernetes}/amazon-linux-2023/{machine}/{variant}/{name}/image_id"
