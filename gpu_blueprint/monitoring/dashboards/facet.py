"""Dashboards: the pages of Grafana that a subject gives."""

from ...records import Record
from ..facet import Condition, is_in_every_stack
from .panels import Dashboard


class Page(Record, kw_only=True):
    """A page of Grafana about a subject, and the stacks that have it."""

    dashboard: Dashboard
    when: Condition = is_in_every_stack
