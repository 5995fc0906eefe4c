"""All alerts, by subject. docs/alerts.md is generated from them."""

from collections.abc import Iterator

from ... import records
from ...config import StackConfig
from ..rules import Alert
from .cost import COST_ALERTS
from .cpu import CPU_ALERTS
from .dns import DNS_ALERTS
from .gpu import GPU_ALERTS
from .models import MODEL_ALERTS
from .nodes import NODE_ALERTS
from .places import place_steps
from .queues import BUT_IN_QUEUES, QUEUE_ALERTS
from .services import SERVICE_ALERTS
from .tenancy import TENANCY_ALERTS
from .training import TRAINING_ALERTS
from .watch import WATCH_ALERTS

_EVERYWHERE = (*GPU_ALERTS, *NODE_ALERTS, *CPU_ALERTS, *COST_ALERTS, *SERVICE_ALERTS, *TENANCY_ALERTS, *WATCH_ALERTS)
ALERTS = (*_EVERYWHERE, *QUEUE_ALERTS, *TRAINING_ALERTS, *DNS_ALERTS, *MODEL_ALERTS)
"""All alerts in the order of the runbook."""


def list_alerts(stack: StackConfig) -> Iterator[Alert]:
    """Yield the alerts of a stack; with queues, a full pool and a full quota of queued jobs are no event.

    Alerts that the stack switches off are left out.
    """
    off = stack.monitoring.alerts_off if stack.monitoring else ()
    optional = (
        *(QUEUE_ALERTS if stack.queueing else ()),
        *(TRAINING_ALERTS if stack.spanning_pools else ()),
        *(DNS_ALERTS if stack.cluster.node_local_dns else ()),
        *(MODEL_ALERTS if stack.models else ()),
    )
    for alert in (alert for alert in (*_EVERYWHERE, *optional) if alert.name not in off):
        exempt = BUT_IN_QUEUES.get(alert.name) if stack.queueing else None
        expr = f"{alert.expr} {exempt}" if exempt else alert.expr
        yield records.replace(alert, expr=expr, steps=place_steps(stack, alert.steps))
