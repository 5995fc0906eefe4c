"""Dashboards as values: what is shown; ``grafana`` makes of them what Grafana reads."""

from .autoscaling import AUTOSCALING
from .fleet import FLEET
from .node_health import NODE_HEALTH
from .panels import Dashboard, Panel, Place, Query, Row, Variable, placed
from .pool import POOL_PAGE
from .tenant import TENANT_PAGE

DASHBOARDS = (FLEET, POOL_PAGE, TENANT_PAGE, NODE_HEALTH, AUTOSCALING)
"""In the order in which one would read them."""

__all__ = ["DASHBOARDS", "Dashboard", "Panel", "Place", "Query", "Row", "Variable", "placed"]
