"""Dashboards as values: what is shown; ``grafana`` makes of them what Grafana reads."""

from .autoscaling import AUTOSCALING
from .fleet import FLEET
from .node_health import NODE_HEALTH
from .panels import Dashboard, Panel, Place, Query, Row, Variable, placed
from .pool import POOL_PAGE
from .tenant import TENANT_PAGE

DASHBOARDS = (FLEET, POOL_PAGE, TENANT_PAGE, NODE_HEALTH, AUTOSCALING)
"""In the order in which one would read them."""

DASHBOARD_LABEL = "grafana_dashboard"
"""Of ConfigMaps that hold them: what the sidecar of Grafana's chart looks for unless it is told otherwise."""

__all__ = ["DASHBOARDS", "DASHBOARD_LABEL", "Dashboard", "Panel", "Place", "Query", "Row", "Variable", "placed"]
