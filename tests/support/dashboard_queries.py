"""The queries of all dashboards, as Grafana sends them."""

import re
from typing import Any

import pytest

from gpu_blueprint.config import StackConfig
from gpu_blueprint.monitoring.dashboards import DASHBOARDS, Dashboard, Panel, Query

from . import builders, generated_series

Shown = tuple[Dashboard, Panel, Query]

CHOSEN = {"__rate_interval": "5m", "__range": "3h", "pool": ".+", "tenant": ".+", "namespace": ".+", "node": ".+"}
"""What Grafana puts in the place of its variables when everything is chosen."""


def shown() -> list[Any]:
    """Every query with its panel and page."""
    return [
        pytest.param((page, panel, query), id=f"{page.uid}: {panel.title} {number}")
        for page in DASHBOARDS
        for panel in page.panels
        for number, query in enumerate(panel.queries)
    ]


def filled(expr: str, **chosen: str) -> str:
    """An expression as Grafana sends it."""
    for name, value in {**CHOSEN, **chosen}.items():
        expr = re.sub(rf"\${name}\b", value, expr)
    assert "$" not in expr
    return expr


def config() -> StackConfig:
    return builders.config(**generated_series.STACK)
