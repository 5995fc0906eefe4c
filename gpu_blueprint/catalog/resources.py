"""Extended resources that nodes hand out beside GPUs."""

EFA_RESOURCE = "vpc.amazonaws.com/efa"
"""Elastic Fabric Adapter interfaces, from AWS's EFA device plugin (EKS user guide, node-efa)."""
