"""Questions about a pool with a fixed number of nodes, which Karpenter does not know."""

from collections.abc import Iterator
from functools import partial

from ...config import Pool, StackConfig
from ..expectations import expect_pool
from ..pods import build_gpu_pod
from ..probe import Phase, Probe
from .pools import send_pods


def list_static_probes(config: StackConfig, pool: Pool) -> Iterator[Probe]:
    """Yield a pod for each resource that the fixed nodes advertise."""
    for unit, resource in pool.profile.units.items():
        pod = build_gpu_pod(config, pool, f"{pool.name}-one-{unit.replace('.', '-').replace('+', '-')}", {resource: 1})
        yield Probe(
            name=f"{pool.name}/one-{unit}",
            subject=f"pool {pool.name}",
            title=f"one {resource.rpartition('/')[2]} on a fixed node",
            phase=Phase.ONE,
            expected=expect_pool(pool.name),
            play=partial(send_pods, (pod,)),
        )
