"""The isolation between GPU pods of two tenants, by sharing mode."""

from collections.abc import Callable

from ...config import Pool
from ...records import Record
from ...sharing import Exclusive, Mig, Mps, Sharing


class Isolation(Record, kw_only=True):
    """The isolation between two pods, each field a phrase for docs/isolation.md."""

    way: str
    """The sharing mode, in the words of the stack file."""
    has_memory: bool
    """True if hardware separates the GPU memory of the pods."""
    memory: str
    faults: str
    speed: str
    traces: str
    """Side channels: traces of a pod's work that other pods can measure."""
    source: str


OWN_NODES = Isolation(
    way="a pool that one tenant alone is granted",
    has_memory=True,
    memory="separate machines",
    faults="stay on the machine",
    speed="separate, but for the network of the VPC",
    traces="none on the node",
    source="[EC2, The Nitro System](https://docs.aws.amazon.com/whitepapers/latest/"
    "security-design-of-aws-nitro-system/security-design-of-aws-nitro-system.html)",
)
WHOLE_GPUS = Isolation(
    way="`exclusive`: whole GPUs of one node",
    has_memory=True,
    memory="separate GPUs",
    faults="stay on the GPU; a fault of the driver or the kernel hits the node",
    speed="separate GPUs; CPU, disk and network of the node are shared",
    traces="caches of the CPU, load of PCIe, NVLink and network",
    source="[Kubernetes, Device plugins](https://kubernetes.io/docs/concepts/extend-kubernetes/"
    "compute-storage-net/device-plugins/)",
)
CUT_GPUS = Isolation(
    way="`mig`",
    has_memory=True,
    memory="an own part of memory, with own cache and own paths to it",
    faults="stay in the instance; a reset of the GPU hits all instances",
    speed="own multiprocessors and bandwidth of memory; PCIe and power are shared",
    traces="parts of address translation are shared, and researchers have sent data over them "
    "([TunneLs for Bootlegging, CCS 2023](https://doi.org/10.1145/3576915.3616672))",
    source="[MIG guide](https://docs.nvidia.com/datacenter/tesla/mig-user-guide/)",
)
MPS_SHARES = Isolation(
    way="`mps`",
    has_memory=False,
    memory="own address spaces in one memory; the MPS server refuses allocations above an equal share, which is a "
    "limit of software and reserves nothing",
    faults="a fatal fault of one pod ends the work of all pods on the GPU",
    speed="a limit of threads per pod; cache and bandwidth are shared",
    traces="cache, bandwidth and timing; all pods are clients of one server",
    source="[MPS, When to use](https://docs.nvidia.com/deploy/mps/when-to-use-mps.html)",
)
TURNS = Isolation(
    way="`time-slicing`",
    has_memory=False,
    memory="own address spaces in one memory without limits: one pod can use up all of it",
    faults="no isolation: a fault can end the work of all pods on the GPU",
    speed="turns, of equal length whatever a pod requests",
    traces="cache, bandwidth and timing",
    source="[GPU Operator, Time-slicing](https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/"
    "gpu-sharing.html)",
)
CUT_TURNS = Isolation(
    way="`mig` with `replicas`",
    has_memory=False,
    memory="the pods of one instance share its memory, as with `time-slicing`",
    faults="stay in the instance, and hit all of its pods",
    speed="turns within the instance",
    traces="as with `time-slicing` within the instance",
    source=TURNS.source,
)

ISOLATIONS = (OWN_NODES, WHOLE_GPUS, CUT_GPUS, MPS_SHARES, TURNS, CUT_TURNS)
"""All sharing modes, from the most isolation to the least."""
_HEADER: dict[str, Callable[[Isolation], str]] = {
    "Two tenants on": lambda each: each.way,
    "Memory": lambda each: each.memory,
    "Faults": lambda each: each.faults,
    "Speed": lambda each: each.speed,
    "Side channels": lambda each: each.traces,
    "Source": lambda each: each.source,
}


def find_isolation(sharing: Sharing) -> Isolation:
    """Return the isolation between two pods on one node of a pool."""
    match sharing:
        case Exclusive():
            return WHOLE_GPUS
        case Mig(replicas=None):
            return CUT_GPUS
        case Mig():
            return CUT_TURNS
        case Mps():
            return MPS_SHARES
        case _:
            return TURNS


def shares_memory(pool: Pool) -> bool:
    """Return whether pods of a pool share a GPU's memory."""
    return not find_isolation(pool.sharing).has_memory


def list_isolation_rows() -> list[list[str]]:
    """Return the table of docs/isolation.md, its header first."""
    return [[*_HEADER], *([read(each) for read in _HEADER.values()] for each in ISOLATIONS)]
