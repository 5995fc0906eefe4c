"""Find out, without an AWS account, what `pulumi up` would create: run the program and record its resources."""

from .record import record
from .resource import UNKNOWN, PlannedResource, has_unknown

__all__ = ["UNKNOWN", "PlannedResource", "has_unknown", "record"]
