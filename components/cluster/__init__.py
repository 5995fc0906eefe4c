"""The EKS cluster: control plane, access, add-ons, system nodes, storage classes."""
