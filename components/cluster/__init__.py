"""The EKS cluster: control plane, access, add-ons, system nodes, StorageClass."""
