"""The one DCGM host engine of each GPU node: docs/decisions/0003-one-dcgm-engine-per-node.md says why."""

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.config import StackConfig

OPERATOR_ENGINE_ADDRESS = f"nvidia-dcgm.{namespaces.GPU_OPERATOR}.svc.cluster.local:5555"
"""The Service of the GPU Operator's engine; it routes each client to the engine on the client's own node."""
AGENT_ENGINE_ADDRESS = "localhost:5555"
"""The engine of the EKS node monitoring agent, at a port of the node that only pods with hostNetwork reach."""
AGENT_ARCH = "amd64"
"""The only architecture for which the agent has an engine."""


def operator_runs_dcgm(config: StackConfig) -> bool:
    """Return whether every pool has the GPU Operator's operands. DCGM is then one of them, on every GPU node."""
    return not config.has_nodes_without_operator
