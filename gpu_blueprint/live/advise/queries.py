"""What is asked of Prometheus, so that it adds up itself: each answer has a line or two for each pool."""

from collections.abc import Mapping
from dataclasses import dataclass

import promql_parser

from ...monitoring.alerts.cost import IN_USE, NEARLY_ALL, QUOTA_USED, interruptions
from ...monitoring.alerts.nodes import WAITED, WAITING
from ...monitoring.facts import PER_UNIT
from ...monitoring.recording import HELD, NAMESPACE, NO_PLACEHOLDER, NODE, ON_A_NODE, ON_POOL, TOTAL, UNITS, requests

SM, TENSOR, DRAM, MEMORY = (
    f"DCGM_FI_{name}" for name in ("PROF_SM_ACTIVE", "PROF_PIPE_TENSOR_ACTIVE", "PROF_DRAM_ACTIVE", "DEV_FB_USED")
)

_STEP_MINUTES = 5
"""What is looked at lies so far apart; peaks of memory between two looks are not missed."""
_MOST_STEPS = 4032
"""Two weeks in steps of five minutes: longer windows are looked at more coarsely, so that no query grows too large."""
_LEAST_MINUTES = 60
"""A device that was held for less says nothing of what its work needs."""
_DEVICE = "node, gpu, GPU_I_ID, pool"


@dataclass(frozen=True, slots=True)
class Look:
    """A window that ends now, and how far apart the moments are at which Prometheus looks at a series."""

    days: int

    @property
    def step(self) -> int:
        """Minutes."""
        return max(_STEP_MINUTES, -(-self.days * 24 * 60 // _MOST_STEPS))

    @property
    def moments(self) -> int:
        """How many moments there are."""
        return self.days * 24 * 60 // self.step

    def over(self, function: str, expr: str, parameter: float | None = None) -> str:
        """Apply a function to an expression over the window, such as ``avg`` or ``quantile``."""
        first = "" if parameter is None else f"{parameter}, "
        return f"{function}_over_time({first}({expr})[{self.days}d:{self.step}m])"


def clusters(look: Look) -> str:
    """How many series each cluster has, where several write to one place: the label ``cluster`` tells them apart."""
    return f"count by (cluster) ({look.over('count', PER_UNIT)})"


def of_cluster(expr: str, name: str) -> str:
    """Let an expression read the series of one cluster alone."""
    only = promql_parser.Matcher(promql_parser.MatchOp.Equal, "cluster", name)

    def narrowed(node: promql_parser.Expr) -> promql_parser.Expr | None:
        if not isinstance(node, promql_parser.VectorSelector):
            return None
        node.matchers = promql_parser.Matchers([*node.matchers.matchers, only])
        return promql_parser.parse(str(node))  # a node that was only changed goes back to what it was

    return str(promql_parser.transform(promql_parser.parse(expr), None, narrowed))


def questions(look: Look) -> Mapping[str, str]:
    """Name → expression."""
    held = f"sum by (pool) ({HELD})"
    count = look.over("count", f"count ({NAMESPACE})")
    shared = f"count by (pool) (max by ({_DEVICE}) ({_held(SM)}))"
    quota = look.over("sum", f"{QUOTA_USED} >= bool {NEARLY_ALL}")
    return {
        "pools": f"count by (pool) ({look.over('count', PER_UNIT)})",
        "moments": count,
        "node moments": look.over("sum", f"count by (pool, instance_type, capacity_type) ({NODE})"),
        "gpus sum": look.over("sum", TOTAL),
        "gpus count": look.over("count", TOTAL),
        "gpus peak": look.over("max", TOTAL),
        "gpus low": look.over("quantile", TOTAL, 0.05),
        "held sum": look.over("sum", held),
        "held count": look.over("count", held),
        "held peak": look.over("max", held),
        "largest": look.over("max", f"max by (pool) (sum by (namespace, pod, pool) ({UNITS}))"),
        "vcpu": look.over("max", _asked("cpu")),
        "memory asked": look.over("max", _asked("memory")),
        "waiting": look.over(
            "count", f"count by (resource) ({WAITING} and count_over_time(({WAITING})[{WAITED}:{_STEP_MINUTES}m]) >= 3)"
        ),
        "quota peak": look.over("max", QUOTA_USED),
        "quota near": quota,
        "reservations": look.over("max", IN_USE),
        "interruptions": interruptions(f"{look.days}d"),
        "sm sum": look.over("sum", f"sum by (pool) (max by ({_DEVICE}) ({_held(SM)}))"),
        "sm count": look.over("sum", shared),
        "sm moments": look.over("count", shared),
        "sm p95": _busiest(look, SM),
        "tensor p95": _busiest(look, TENSOR),
        "dram p95": _busiest(look, DRAM),
        "memory used": look.over("max", f"max by (pool) (max_over_time({MEMORY}[{look.step}m]) {ON_POOL})"),
    }


def _held(metric: str) -> str:
    return f'({metric}{{namespace!="",{NO_PLACEHOLDER}}} {ON_POOL})'


def _busiest(look: Look, metric: str) -> str:
    """The device whose own 95th percentile is highest, of those that were held for long enough to have one."""
    device = f"max by ({_DEVICE}) ({_held(metric)})"
    long = f"{look.over('count', device)} >= {-(-_LEAST_MINUTES // look.step)}"
    return f"max by (pool) ({look.over('quantile', device, 0.95)} and {long})"


def _asked(resource: str) -> str:
    """The most of a resource that one pod with GPUs asks for."""
    of = f'resource="{resource}"'
    asked = f"sum by (namespace, pod, node) ({requests(ON_A_NODE, of=of)})"
    return f"max by (pool) (({asked} and on (namespace, pod) {UNITS}) {ON_POOL})"
