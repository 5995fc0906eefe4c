"""The memory of a model on its GPUs: weights, KV cache, and what is left for further requests.

vLLM takes a part of each GPU's memory (``gpu-memory-utilization``), puts the weights and its work space there, and
gives the rest to the KV cache. It ends at its start if the cache does not hold one sequence of ``max-model-len``
(vllm docs, "Conserving Memory"; vllm/v1/core/kv_cache_utils.py). Read 2026-11-23.
"""

from ...catalog import Gpu
from ...catalog.quantizations import find_quantization
from ...config import Pool, StackConfig
from ...config.model_shapes import DTYPE_BYTES, ModelShape
from ...config.models import VllmModel
from ...config.tenants import GpuAmount
from ...records import Record
from ...sharing import Mig
from ...sharing.profile import find_mig_layout
from .sequence_cache import plan_sequence, read_number

USUAL_UTILIZATION = 0.9
"""vLLM's own default: the rest is for the CUDA context and fragments."""
WORKSPACE_GIB = 1.5
"""GiB on each GPU for activations and CUDA graphs. It is an assumption: vLLM measures it at its start, and models of
8 billion parameters took 1 to 2 GiB with the usual batch."""
LEAST_HOST_GIB = 8
"""GiB of the node's memory below which a replica may be killed while it starts. It is an assumption, and not measured:
Python, CUDA, the API server and the weights on their way."""
_GIB = 2**30
STATED_CACHE = "kv-cache-memory-bytes"
"""Flag with the bytes of the KV cache on each GPU. The server then measures nothing (vLLM 0.25.1 to 0.33.0:
``determine_available_memory`` of vllm/v1/worker/gpu_worker.py)."""


class ModelMemory(Record, kw_only=True):
    """The memory of one replica, summed over its GPUs, in GiB."""

    granted: float
    """The part of the GPUs that the replica takes."""
    weights: float
    workspace: float
    sequence: float
    """KV cache of one sequence of the greatest length."""
    longest: int
    """Tokens of the longest sequence that the cache holds, in whole blocks and at most the greatest length."""
    stated: float | None = None
    """KV cache that the stack file states; None if the server takes what is left."""

    @property
    def needed(self) -> float:
        """The least with which the server starts."""
        return self.weights + self.workspace + self.sequence

    @property
    def fits(self) -> bool:
        """True if the server starts."""
        return self.needed <= self.granted

    @property
    def cache(self) -> float:
        """GiB of the KV cache: as stated, or what is left for it; below 0 if the weights do not fit."""
        return self.left if self.stated is None else self.stated

    @property
    def left(self) -> float:
        """GiB beside the weights and the work space; below 0 if the weights do not fit."""
        return self.granted - self.weights - self.workspace

    @property
    def sequences(self) -> int:
        """Number of sequences of the greatest length that the cache holds at once."""
        return max(0, int(self.cache / self.sequence))


def measure_model(stack: StackConfig, pool: Pool, model: VllmModel) -> ModelMemory | None:
    """Return the memory of a replica in a pool; None if the size of the model is not known or the pool has no type."""
    if model.shape is None or (whole := find_gpu_gib(stack, pool)) is None:
        return None
    device = whole * find_part(pool, model.gpus)
    return fill_devices(model, model.shape, pool.model, whole, device * find_utilization(pool, model))


def fill_devices(model: VllmModel, shape: ModelShape, gpu: Gpu, gpu_gib: float, granted_gib: float) -> ModelMemory:
    """Return the memory of a replica.

    Args:
        model: The model.
        shape: Its size.
        gpu: The GPU.
        gpu_gib: Memory of the whole GPU.
        granted_gib: The part of each device, which is a GPU or a slice of it, that the replica takes.
    """
    gpus = count_devices(model.gpus)
    cache = plan_sequence(model, shape, gpus, gpu, gpu_gib)
    weights, workspace, granted = count_weights_gib(model, shape), WORKSPACE_GIB * gpus, granted_gib * gpus
    number = read_number(str(model.arguments.get(STATED_CACHE, "")))
    stated = number * gpus / _GIB if number and number > 0 else None
    return ModelMemory(
        granted=granted,
        weights=weights,
        workspace=workspace,
        sequence=cache.count_bytes(model.max_model_len) / _GIB,
        longest=cache.find_longest(
            (granted - weights - workspace if stated is None else stated) * _GIB, model.max_model_len
        ),
        stated=stated,
    )


def count_weights_gib(model: VllmModel, shape: ModelShape) -> float:
    """Return the GiB of the weights on the GPUs; quantization leaves the embeddings as they are."""
    size = DTYPE_BYTES[shape.dtype]
    if model.quantization is None:
        return shape.parameters * size / _GIB
    small = find_quantization(model.quantization).count_bytes(shape.group_size)
    return (shape.embeddings * size + (shape.parameters - shape.embeddings) * small) / _GIB


def count_devices(amount: GpuAmount) -> int:
    """Return how many devices the processes of one replica see."""
    return sum(amount.values()) if isinstance(amount, dict) else amount


def find_gpu_gib(stack: StackConfig, pool: Pool) -> float | None:
    """Return the GiB of the smallest GPU of a pool's instance types; None if the pool has no type."""
    rows = stack.list_instances(pool)
    return min(row.gpu_memory_mib for row in rows) / 1024 if rows else None


def find_device_gib(stack: StackConfig, pool: Pool, amount: GpuAmount) -> float | None:
    """Return the GiB of a device that a process of a replica sees: a slice, or the whole GPU, also a shared one.

    Args:
        stack: The stack.
        pool: The pool; None if it has no type.
        amount: The units of a replica.
    """
    whole = find_gpu_gib(stack, pool)
    return None if whole is None else whole * find_part(pool, amount)


def find_part(pool: Pool, amount: GpuAmount) -> float:
    """Return the part of a GPU's memory that a process sees: a MIG slice, or else the whole GPU, also a shared one.

    Args:
        pool: The pool.
        amount: The units of a replica. Of several MIG profiles the smallest decides.
    """
    if not isinstance(pool.sharing, Mig) or pool.model.mig is None:
        return 1
    profiles = pool.model.mig.profiles
    layout = find_mig_layout(pool.model, pool.sharing)
    chosen = [name for name, count in amount.items() if count and name in layout] if isinstance(amount, dict) else []
    return min(profiles[name].memory_slices for name in chosen or layout) / pool.model.mig.memory_slices


def find_utilization(pool: Pool, model: VllmModel) -> float:
    """Return the part of the memory that it sees which a replica takes."""
    stated = model.gpu_memory_utilization
    return find_most_utilization(pool) if stated is None else stated


def find_most_utilization(pool: Pool) -> float:
    """Return the most that each of the pods on a GPU may take; a shared GPU shows its whole memory to all of them."""
    replicas = getattr(pool.sharing, "replicas", None) or 1
    return int(USUAL_UTILIZATION / replicas * 1000) / 1000
