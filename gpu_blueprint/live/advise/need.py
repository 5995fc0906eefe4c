"""What one pod needs of a GPU and of its node, and which others could give it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from ...catalog import GPUS, Gpu, Instance, instances
from ...config import Pool, StackConfig
from .observed import Activity, Largest, PoolUse

MEMORY_MARGIN = 1.2
"""Over the most that was ever used: the next model version, longer prompts, a fragmented allocator."""
MOST_BUSY = 0.7
"""How busy another GPU may become: data sheets promise what no program reaches, and queues grow long beyond it."""
USABLE_MEMORY = 0.95
"""Part of a GPU's memory that programs get: driver, ECC and the CUDA context take the rest."""
FORMATS = {"BF16": 8.0, "FP8": 8.9, "FP4": 10.0}
"""Number format → compute capability that brought it. A GPU without BF16 ends most of today's training and serving code;
FP8 and FP4 are chosen model by model."""
OTHER_WORK = 3.0
"""So many times busier than tensor cores and memory, the SMs do work that neither shows: then they are projected too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A GPU model and a type with it that could hold what was measured, and how busy it would become, from 0 to 1."""

    gpu: Gpu
    row: Instance
    tensor: float
    bandwidth: float
    usable_mib: float


def usable_mib(row: Instance) -> float:
    """Memory that programs get of one GPU."""
    return row.gpu_memory_mib * USABLE_MEMORY


def fits(stack: StackConfig, pool: Pool, use: PoolUse) -> Iterator[Fit]:
    """Yield every type of the region with another GPU on which a pod of the pool would have room, one pod to a GPU."""
    own = stack.instances_of(pool)[0]
    for row in instances().values():
        other = GPUS.get(row.gpu_name)
        if other is None or other is pool.model or not _can_be_chosen(stack, pool, row, own):
            continue
        found = _fit(pool.model, other, row, use)
        if found and holds(row, use.largest, 1):
            yield found


def _can_be_chosen(stack: StackConfig, pool: Pool, row: Instance, own: Instance) -> bool:
    plain = not row.fractional and not row.bare_metal and row.gpu.karpenter_name is not None
    known = row.gpu.tensor_tflops is not None and row.gpu.min_driver <= pool.ami.row.driver_branch
    # Images are built for one architecture.
    return (
        plain
        and known
        and stack.region in row.regions
        and row.arch == own.arch
        and "BF16" not in lost(pool.model, row.gpu)
    )


def lost(own: Gpu, other: Gpu) -> list[str]:
    """Number formats that one GPU has and the other has not."""
    return [name for name, since in FORMATS.items() if other.compute_capability < since <= own.compute_capability]


def _fit(own: Gpu, other: Gpu, row: Instance, use: PoolUse) -> Fit | None:
    done = use.activity
    if done is None or own.tensor_tflops is None or other.tensor_tflops is None:
        return None
    tensor = compute(done) * own.tensor_tflops / other.tensor_tflops
    bandwidth = done.dram_p95 * own.bandwidth_gb_per_s / other.bandwidth_gb_per_s
    room = usable_mib(row)
    if tensor > MOST_BUSY or bandwidth > MOST_BUSY or done.memory_mib * MEMORY_MARGIN > room:
        return None
    return Fit(gpu=other, row=row, tensor=tensor, bandwidth=bandwidth, usable_mib=room)


def compute(done: Activity) -> float:
    """What part of the tensor cores is needed; where the SMs are busy with something else, what part of the SMs."""
    if done.sm_p95 > OTHER_WORK * max(done.tensor_p95, done.dram_p95):
        return done.sm_p95
    return done.tensor_p95


def holds(row: Instance, pod: Largest | None, pods_per_gpu: int) -> bool:
    """Whether a node has the CPU and memory that so many pods on each of its GPUs ask for, as far as that is known."""
    return pods_per_gpu <= most_pods_per_gpu(row, pod)


def most_pods_per_gpu(row: Instance, pod: Largest | None) -> float:
    """How many pods for each GPU a node has CPU and memory for."""
    if pod is None:
        return inf
    cpu = row.pod_vcpu / pod.vcpu if pod.vcpu else inf
    memory = row.pod_memory_mib / pod.memory_mib if pod.memory_mib else inf
    return min(cpu, memory) / row.gpu_devices
