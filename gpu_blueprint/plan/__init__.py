"""What `pulumi up` would create, found out without an account."""

from .record import record
from .resource import UNKNOWN, PlannedResource, has_unknown

__all__ = ["UNKNOWN", "PlannedResource", "has_unknown", "record"]
