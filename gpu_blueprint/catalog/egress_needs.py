"""The programs of the platform that call AWS or the internet, and how each gets a proxy: egress_needs.csv.

A test compares the rows with every chart and add-on, and the places with rendered values.
"""

from functools import cache
from typing import Literal

from ..records import Record
from .table import read_table

Calls = Literal["aws", "internet", "vpc", "cluster", "none"]


class EgressNeed(Record, kw_only=True):
    """One program of the platform."""

    comes_from: str
    """Helm chart, EKS add-on or component that makes the pods."""
    program: str
    calls: Calls
    """The farthest hosts that the program calls: ``vpc`` for hosts inside the VPC."""
    proxy_at: tuple[str, ...]
    """Places of the proxy in the values of the chart; empty if the program needs no proxy or takes none."""
    ca_at: tuple[str, ...]
    """Places of the certificate authorities in the values of the chart."""
    needs: tuple[str, ...]
    """Endpoints of the VPC that the program needs, because it cannot use a proxy."""
    reason: str
    """Hosts that the program calls, and the source of the places."""


@cache
def list_egress_needs() -> tuple[EgressNeed, ...]:
    """Return every program of the platform."""
    return tuple(read_table("egress_needs.csv", EgressNeed))
