"""Dashboards as plain values. The module ``grafana`` turns them into Grafana's JSON."""

from ...config import StackConfig
from .autoscaling import AUTOSCALING
from .fleet import FLEET
from .models import MODELS
from .node_health import NODE_HEALTH
from .panels import Dashboard, Panel, Place, Query, Row, Variable, place_panels
from .pool import POOL_PAGE
from .queues import QUEUES
from .tenant import TENANT_PAGE

DASHBOARDS = (FLEET, POOL_PAGE, TENANT_PAGE, NODE_HEALTH, AUTOSCALING, QUEUES, MODELS)
"""All dashboards, from the whole fleet to the details."""


def list_dashboards(stack: StackConfig) -> list[Dashboard]:
    """Return the dashboards of a stack: a stack without queues or models has no dashboard about them."""
    absent = ([] if stack.queueing else [QUEUES]) + ([] if stack.models else [MODELS])
    return [page for page in DASHBOARDS if page not in absent]


DASHBOARD_LABEL = "grafana_dashboard"
"""Label of the ConfigMaps that hold dashboards: the default of the sidecar in Grafana's chart."""

__all__ = [
    "DASHBOARDS",
    "DASHBOARD_LABEL",
    "Dashboard",
    "Panel",
    "Place",
    "Query",
    "Row",
    "Variable",
    "list_dashboards",
    "place_panels",
]
