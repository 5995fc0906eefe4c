"""The strictness of admission for tenants."""

from typing import Literal

from ..model import Model


class Tenancy(Model):
    """The strictness of admission in the namespaces of tenants."""

    enforcement: Literal["deny", "warn"] = "deny"
    """`deny` refuses what breaks a rule of docs/tenants.md; `warn` lets it pass with a warning and an audit entry, for
    a platform that had tenants before it had the rules."""
