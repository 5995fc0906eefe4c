"""What was observed of a pool, busy and well used unless a test says otherwise; the pool is that of ``builders``."""

from typing import Any

from gpu_blueprint.config import StackConfig
from gpu_blueprint.live.advise import Observed, Proposal
from gpu_blueprint.live.advise.observed import Activity, LargestPod, PoolUse, QuotaUse, Window
from gpu_blueprint.live.advise.proposal import AddPool, Set

from . import builders

WEEK = Window(days=7)
HOURS = 168.0


def activity(**overrides: Any) -> Activity:
    """GPUs that work."""
    busy = {"sm_mean": 0.7, "sm_p95": 0.8, "tensor_p95": 0.6, "dram_p95": 0.6, "memory_mib": 18 * 1024}
    return Activity(**{**busy, **overrides})


def use(kind: str = "g6.xlarge", nodes: float = 6, how: str = "spot", per_node: int = 1, **overrides: Any) -> PoolUse:
    """Nodes that ran all the time, one pod on each of their GPUs; ``None`` for activity if nothing is known of it."""
    gpus = nodes * per_node
    usual: dict[str, Any] = {
        "gpus_mean": gpus, "gpus_peak": gpus, "gpus_low": gpus, "held_mean": gpus, "held_peak": gpus,
        "node_hours": {(kind, how): nodes * HOURS}, "largest": LargestPod(units=1, vcpu=2, memory_mib=8 * 1024), "activity": activity(),
    }  # fmt: skip
    return PoolUse(**{**usual, **overrides})


def seen(found: PoolUse, window: Window = WEEK, **more: Any) -> Observed:
    """One pool, called main."""
    return Observed(window=window, pools={"main": found}, **more)


def quota(near: float, peak: float = 0.95, resource: str = "nvidia.com/gpu") -> dict[tuple[str, str], QuotaUse]:
    """How much of its quota the team used."""
    return {("team", resource): QuotaUse(peak=peak, near=near)}


SMALL = LargestPod(units=1, vcpu=0.2, memory_mib=512)
A100: dict[str, Any] = {"instanceTypes": ["p4d.24xlarge"]}
LIGHT = activity(sm_mean=0.22, sm_p95=0.3, tensor_p95=0.1, dram_p95=0.1, memory_mib=9 * 1024)
IDLE = activity(sm_mean=0.05, sm_p95=0.1, tensor_p95=0.05, dram_p95=0.05, memory_mib=4 * 1024)


def stack(**pool: Any) -> StackConfig:
    """One pool of L4s on spot, on-demand behind it."""
    return builders.config(pools=[builders.pool(**{"purchase": ["spot", "on-demand"], **pool})])


def reserved_stack(**overrides: Any) -> StackConfig:
    """One pool of four nodes of H100s that are reserved."""
    one = {"id": "cr-0a1b2c3d", "instanceType": "p5.48xlarge", "zone": "us-east-1a", "instances": 4, **overrides}
    bought: dict[str, Any] = {"purchase": ["reserved"], "reservations": [{"id": one["id"]}]}
    pool = builders.pool(instanceTypes=["p5.48xlarge"], maxGpus=32, **bought)
    return builders.config(pools=[pool], reservations=[one])


def on_a100(**overrides: Any) -> PoolUse:
    """Eight A100s of one node, each with a pod that needs little."""
    return use("p4d.24xlarge", 1, per_node=8, **{"activity": LIGHT, **overrides})


def added(one: Proposal) -> AddPool:
    """The pool that a proposal adds."""
    (found,) = [change for change in one.changes if isinstance(change, AddPool)]
    return found


def sets(one: Proposal) -> dict[str, Any]:
    """The fields that a proposal sets."""
    return {".".join(change.path): change.value for change in one.changes if isinstance(change, Set)}
