"""All money: prices, pools, the platform, tenants, commitments and the estimate of a whole stack.

The names below are for callers that have not moved to the modules yet.
"""

from .commitments import measured_advice
from .compare import Change, compare, read_estimate
from .estimate import Estimate, PoolEstimate, estimate
from .tenants import UNASSIGNED

__all__ = [
    "UNASSIGNED",
    "Change",
    "Estimate",
    "PoolEstimate",
    "compare",
    "estimate",
    "measured_advice",
    "read_estimate",
]
