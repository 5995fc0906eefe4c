"""A subject's pages of Grafana."""

from ...records import Record
from ..facet import Condition, is_in_every_stack
from .panels import Dashboard


class Page(Record, kw_only=True):
    """A page of Grafana, and which stacks have the page."""

    dashboard: Dashboard
    when: Condition = is_in_every_stack
