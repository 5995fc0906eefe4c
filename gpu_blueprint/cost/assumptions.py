"""The assumptions under which an estimate holds, as sentences for its reader."""

from collections.abc import Iterator, Sequence

from ..catalog import prices
from ..catalog.prices import HOURS_A_MONTH
from ..config import Pool, StackConfig
from .capacity import PoolCapacity
from .cpu_pools import expect_use
from .items import price_disk
from .models import list_model_assumptions
from .nodes import find_spot_share, find_terms
from .storage import list_storage_assumptions


def list_assumptions(stack: StackConfig, capacities: Sequence[PoolCapacity]) -> Iterator[str]:
    """Yield the assumptions on use, spot, Savings Plan and node types, then on each pool, then the costs left out."""
    unstated = [pool.name for pool in stack.gpu_pools if pool.lacks_expectation]
    unstated += [pool.name for pool in stack.cpu_pools if pool.expected_utilization is None]
    if unstated:
        yield (
            f"{', '.join(unstated)}: no expected use is stated, so the whole ceiling is expected to run in all hours "
            "(expectedHours, expectedUtilization)"
        )
    yield from _list_spot_assumptions(stack)
    if plan := stack.costs.savings_plan:
        yield (
            f"a Savings Plan covers {plan.coverage:.0%} of all spending except spot and takes {plan.discount:.0%} off; "
            "idle does not include the plan's cost when nothing runs"
        )
    yield (
        "expected sums count the cheapest instance type that holds a pod, as Karpenter launches it; «at most» counts "
        "the dearest type, on demand; "
        "a month has 730 hours"
    )
    for capacity in capacities:
        yield from _list_pool_assumptions(stack, capacity)
    yield from list_model_assumptions(stack, capacities)
    yield from _list_cpu_assumptions(stack)
    yield from _list_volumes_beside_nvme(stack)
    yield from list_storage_assumptions(stack)
    if stack.existing_cluster:
        yield "not included: the cluster's control plane, and its own nodes, on which the platform's own pods run"
    nat = prices.find_service_price("nat-gateway-data", stack.region)
    through = f" (through NAT ${nat.usd:g} per GB)" if nat else ""
    sent = stack.new_cluster.logs if stack.new_cluster else []
    logs = f"CloudWatch ({', '.join(sent)} of the control plane)" if sent else "CloudWatch"
    yield f"not included: data transfer{through}, {logs}, requests of S3, volumes of pods, support, taxes"


def _list_spot_assumptions(stack: StackConfig) -> Iterator[str]:
    rows = [row for pool in stack.gpu_pools if "spot" in pool.purchase for row in stack.list_instances(pool)]
    rows += [row for pool in stack.cpu_pools if "spot" in pool.purchase for row in stack.list_instances(pool)]
    families = dict.fromkeys(row.family for row in rows)
    shares = [
        f"{family} {share:g}" for family in families if (share := find_spot_share(family, stack.costs.spot_share))
    ]
    if shares:
        yield f"spot is available, at this share of the on-demand price: {', '.join(shares)} (costs.spotShare)"


def _list_pool_assumptions(stack: StackConfig, capacity: PoolCapacity) -> Iterator[str]:
    pool, always_on = capacity.pool, capacity.find_always_on(find_terms(stack, capacity.pool))
    if pool.hours:
        after = ", but jobs run on after the hours, so «at most» counts every hour" if pool.finishes_jobs else ""
        yield (
            f"{pool.name} is open {pool.hours_per_month:.0f} hours a month ({pool.hours}){after}; "
            "idle/h and at most/h are of open hours"
        )
    if pool.headroom:
        kept_free = _format_gpus(always_on.headroom_gpus)
        yield f"{pool.name} keeps {kept_free} free in all its hours, beside GPUs at work (headroom)"
    if always_on.service_gpus > 0:
        running = _format_gpus(always_on.service_gpus)
        yield f"{pool.name} runs at least {running}, in all its hours (replicas.min of {_name_scaled(stack, pool)})"


def _name_scaled(stack: StackConfig, pool: Pool) -> str:
    """Return the sections of the stack file whose replicas run in a pool, in words."""
    pools = {
        "services": [service.pool for service in stack.services],
        "models": [model.pool for model in stack.models],
    }
    return " and ".join(name for name, used in pools.items() if pool.name in used)


def _list_cpu_assumptions(stack: StackConfig) -> Iterator[str]:
    """Yield the use of each CPU pool, and the way in which tenants share the costs."""
    for pool in stack.cpu_pools:
        use = expect_use(pool)
        at_work = f"{use.units:g} of {pool.max_cpus} vCPUs run on average, on the cheapest type for each vCPU"
        made = "; no pool with purpose: cpu is stated, so the platform makes this pool and assumes its use"
        yield f"{pool.name}: {at_work}{'' if stack.states_cpu_pools else made}"
    if stack.cpu_pools:
        yield "tenants share the cost of CPU pools by the CPU of their quotas that the pods on their GPUs leave"


def _list_volumes_beside_nvme(stack: StackConfig) -> Iterator[str]:
    """Yield the prices of volumes that hold only the system, by size."""
    pools_by_gib: dict[int, list[str]] = {}
    for pool in stack.gpu_pools:
        if stack.keeps_images_on_nvme(pool):
            pools_by_gib.setdefault(stack.find_disk_gib(pool), []).append(pool.name)
    for gib, pools in pools_by_gib.items():
        month = price_disk(stack.region, gib=gib) * HOURS_A_MONTH
        yield (
            f"each node of {', '.join(pools)} pays {month} a month for a volume of {gib} GiB beside its NVMe, which "
            "holds images and pods (disk.sizeGib)"
        )


def _format_gpus(count: float) -> str:
    return f"{count:g} GPU{'' if count == 1 else 's'}"
