"""The text of the first stack file, with its comments."""

from ...catalog import GPUS
from ...config.sizes import PodSize
from ...records import Record
from ...yaml_text.flow import write_flow, write_scalar
from .wish import PLACEHOLDER_BLOCK, PURPOSES, Wish, split

_CPUS_OF_GPU, _GIB_OF_GPU = 8, 64
_CPUS_OF_SLOT, _GIB_OF_SLOT = 2, 8
"""CPU and GiB of memory that the quota of the tenant has for each whole GPU, and for each share of a GPU."""


class Numbers(Record):
    """The numbers of the file that follow from costs."""

    max_gpus: int
    why_max_gpus: str = ""
    """Comment on the ceiling."""
    hourly_ceiling: float | None = None
    monthly_budget: float | None = None
    least_cpus: int = 0
    least_gib: int = 0
    """The least quota of the tenant, in CPUs and GiB of memory; the usual quota of its GPUs may be more."""
    pod_size: PodSize | None = None
    """CPU and memory of a slot, where the nodes have less than the default."""


def write_text(wish: Wish, numbers: Numbers) -> str:
    """Write the file; wrong answers stand in it as they are, so that its checks can name them."""
    return (
        "\n".join(
            [*_write_head(wish), *_write_bounds(numbers), *_write_pool(wish, numbers), *_write_tenant(wish, numbers)]
        )
        + "\n"
    )


def _write_head(wish: Wish) -> list[str]:
    reached = " # the office; replace by your own" if wish.allowed == [PLACEHOLDER_BLOCK] else ""
    return [
        "# yaml-language-server: $schema=schema.json",
        f"# One pool of {_describe(wish)}, and one tenant. docs/config.md explains every field.",
        "config:",
        f"  aws:region: {write_scalar(wish.region)}",
        '  pulumi:disable-default-providers: ["*"]',
        "  gpu-blueprint:stack:",
        f"    owner: {write_scalar(wish.owner)} # the team that answers for the platform; a tag",
        f"    environment: {write_scalar(wish.environment)}",
        f"    costCenter: {write_scalar(wish.owner)} # who pays; a tag",
        f"    accountId: {write_scalar(wish.account)}",
        "    network:",
        "      mode: new",
        f"      cidr: {write_scalar(wish.cidr)}",
        f"      zones: {write_flow(wish.zone_names)}",
        "    cluster:",
        f"      api: {{access: public, allowedCidrs: {write_flow(wish.allowed)}}}{reached}",
        f"      admins: {write_flow(wish.admin_arns)}",
    ]


def _describe(wish: Wish) -> str:
    product = f"{GPUS[wish.gpu].product} GPUs" if wish.gpu in GPUS else "GPUs"
    how = {"mig": f"cut into {wish.slots} each", "time-slicing": f"{wish.slots} pods take turns on each"}
    how["mps"] = f"{wish.slots} pods run on each"
    mode = wish.sharing_fields.get("mode", "")
    return f"{product}, {how[mode]}" if mode else f"whole {product}"


def _write_bounds(numbers: Numbers) -> list[str]:
    lines = []
    if numbers.hourly_ceiling:
        comment = "US dollars with every limit reached; `check` refuses more"
        lines.append(f"    hourlyCeiling: {write_flow(numbers.hourly_ceiling)} # {comment}")
    if numbers.monthly_budget:
        comment = "US dollars that may be expected"
        lines.append(f"    monthlyBudget: {write_flow(numbers.monthly_budget)} # {comment}")
    return lines


def _write_pool(wish: Wish, numbers: Numbers) -> list[str]:
    sharing = [f"        sharing: {write_flow(wish.sharing_fields)}"] if wish.sharing_fields else []
    purpose = wish.purpose if wish.purpose in PURPOSES else PURPOSES[0]  # another hides the problems of the pool
    why = f" # {numbers.why_max_gpus}" if numbers.why_max_gpus else ""
    comment = "a month, of the 730, for the cost estimate"
    hours = [f"        expectedHours: {write_flow(wish.hours)} # {comment}"] if wish.hours else []
    size = numbers.pod_size and write_flow({"cpu": numbers.pod_size.cpu, "memory": numbers.pod_size.memory})
    pod = [f"        podSize: {size} # the most that a node has for each of its slots"] if size else []
    return [
        "    pools:",
        f"      - name: {write_scalar(wish.pool)}",
        f"        purpose: {purpose} # decides when nodes may be replaced",
        f"        gpu: {write_scalar(wish.gpu)}",
        f"        purchase: {write_flow(split(wish.purchase))}",
        *sharing,
        *pod,
        f"        maxGpus: {numbers.max_gpus}{why}",
        *hours,
    ]


def _write_tenant(wish: Wish, numbers: Numbers) -> list[str]:
    slots = numbers.max_gpus * wish.slots
    cpus, gib = (_CPUS_OF_SLOT, _GIB_OF_SLOT) if wish.sharing_fields else (_CPUS_OF_GPU, _GIB_OF_GPU)
    return [
        "    tenants:",
        f"      - name: {write_scalar(wish.tenant)}",
        f"        gpus: {write_flow({wish.pool: slots})} # the whole pool",
        f'        cpu: "{max(slots * cpus, numbers.least_cpus)}"',
        f"        memory: {max(slots * gib, numbers.least_gib)}Gi",
        f"        members: {write_flow(wish.member_arns)}",
    ]
