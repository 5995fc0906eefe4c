"""What a stack costs: by pool, by tenant, by slice, and what would make it cheaper."""

from .commitments import Advice, advice, measured_advice
from .compare import Change, compare, read_estimate
from .estimate import Estimate, PoolEstimate, estimate
from .tenants import UNASSIGNED

__all__ = [
    "UNASSIGNED",
    "Advice",
    "Change",
    "Estimate",
    "PoolEstimate",
    "advice",
    "compare",
    "estimate",
    "measured_advice",
    "read_estimate",
]
