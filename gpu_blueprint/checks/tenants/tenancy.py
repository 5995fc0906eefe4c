"""A rule about admission policies that only warn."""

from collections.abc import Iterator

from ...config import StackConfig
from ...problem import Problem


def warn_of_admission_that_only_warns(stack: StackConfig) -> Iterator[Problem]:
    """Warn that admission policies with ``enforcement: warn`` stop nothing."""
    if stack.tenants and stack.tenancy.enforcement == "warn":
        reason = "admission only warns, so tenants can still take GPUs, priorities and addresses that are not theirs"
        hint = "set it to deny once the tenants read no more warnings (docs/isolation.md)"
        yield Problem("admission-only-warns", ("tenancy", "enforcement"), reason, hint, severity="warning")
