"""Every alert, by subject; docs/alerts.md is made of this."""

from .alerts_cost import COST_ALERTS
from .alerts_gpu import GPU_ALERTS
from .alerts_nodes import NODE_ALERTS
from .alerts_services import SERVICE_ALERTS
from .alerts_watch import WATCH_ALERTS

ALERTS = (*GPU_ALERTS, *NODE_ALERTS, *COST_ALERTS, *SERVICE_ALERTS, *WATCH_ALERTS)
"""In the order of the runbook."""
