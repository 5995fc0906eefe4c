"""The ConfigMaps that the GPU Operator of a cluster reads."""

from typing import Any

from ....config import StackConfig
from .reading import Cluster, Manifest, dig, dig_map, path_of


def read_operator_map(stack: StackConfig, cluster: Cluster, policy: Manifest, name: str) -> dict[str, Any]:
    """Return the data of a ConfigMap in the operator's namespace; empty if there is none of this name."""
    namespace = str(dig(policy, "status", "namespace") or stack.gpu_operator_namespace)
    return {**dig_map(cluster.get(path_of("v1", "configmaps", name, namespace)), "data")} if name else {}
