"""The promises of the platform to and about its tenants, for docs/isolation.md."""

from typing import Literal

from ...records import Record

Holder = Literal["admission", "quota", "rights", "traffic", "node"]


class Holding(Record, kw_only=True):
    """One object of the platform, and the thing that it keeps a tenant from."""

    by: Holder
    name: str
    """Name of the rule, or kind and name of the object, such as ``ResourceQuota tenant``."""
    keeps: str
    """A sentence for docs/isolation.md, with the field of the stack file that relaxes it."""
