"""The Grafana pages of a subject."""

from ...records import Record
from ..facet import Condition, is_in_every_stack
from .panels import Dashboard


class Page(Record, kw_only=True):
    """A page of Grafana, and a condition that says which stacks have it."""

    dashboard: Dashboard
    when: Condition = is_in_every_stack
