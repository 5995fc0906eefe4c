"""The platform's guarantees about its tenants, for docs/isolation.md."""

from typing import Literal

from ...records import Record

Mechanism = Literal["admission", "quota", "rights", "traffic", "node"]


class Guarantee(Record, kw_only=True):
    """One object of the platform, and what the object guarantees."""

    by: Mechanism
    name: str
    """Name of the rule, or kind and name of the object, such as ``ResourceQuota tenant``."""
    keeps: str
    """A sentence for docs/isolation.md, with the field of the stack file that relaxes it."""
