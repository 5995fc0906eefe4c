"""Alerts about the admission policies that keep tenants inside their grants."""

from ..recording import count_new
from ..rules import Heading

_OURS = 'policy=~"gpu-blueprint-.+"'
_DENIED = f'apiserver_validating_admission_policy_check_total{{{_OURS},enforcement_action="deny"}}'
_UNCHANGED = f'apiserver_mutating_admission_policy_check_total{{{_OURS},error_type!="no_error"}}'
"""Pods that a mutating policy could not complete; the API server refuses them too."""
WINDOW = "15m"
MOST_DENIALS = 10
"""Denials within the window that people cause by trial. A controller whose pods are refused asks 17 times in its first
15 minutes, since its pauses double from 5 ms to 16 minutes (client-go, DefaultTypedControllerRateLimiter)."""


def count_denials(window: str) -> str:
    """Count the failed checks of admission policies within a window, by ``policy``.

    A request that breaks three rules counts 3, and so do retries and dry runs.
    """
    return f"sum by (policy) ({count_new(_DENIED, window)} or {count_new(_UNCHANGED, window)})"


_TENANTS = Heading("Tenants")
TENANCY_ALERTS = (
    _TENANTS.warning(
        name="TenantRequestsDenied",
        expr=f"{count_denials(WINDOW)} > {MOST_DENIALS}",
        summary="Admission policy {{ $labels.policy }} has counted {{ $value | humanize }} violations by tenants within"
        " 15 minutes",
        impact="A Deployment or a Job whose pods are refused does not start, and its team sees no pod that says so."
        " Many refusals can also mean that somebody tries the fences.",
        steps=(
            "Read the messages that controllers got: `kubectl get events -A --field-selector reason=FailedCreate`."
            " Each says what to write instead.",
            "Refusals of people are in the control plane's audit log, with the user and the message:"
            " search it for `denied request`.",
            "If a legitimate program is refused: change the program, or give its tenant a waiver of the rule in the"
            " stack file (docs/tenants.md lists the rules).",
            "If a policy refuses everything: docs/isolation.md says how to break the glass.",
        ),
    ),
)
