"""All alerts, by subject. docs/alerts.md is generated from them."""

from .cost import COST_ALERTS
from .cpu import CPU_ALERTS
from .gpu import GPU_ALERTS
from .nodes import NODE_ALERTS
from .services import SERVICE_ALERTS
from .tenancy import TENANCY_ALERTS
from .watch import WATCH_ALERTS

ALERTS = (*GPU_ALERTS, *NODE_ALERTS, *CPU_ALERTS, *COST_ALERTS, *SERVICE_ALERTS, *TENANCY_ALERTS, *WATCH_ALERTS)
"""All alerts in the order of the runbook."""
