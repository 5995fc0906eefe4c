"""Alerts that nobody would hear."""

from collections.abc import Iterator

from ...config import StackConfig
from ...config.monitoring import InstallMonitoring
from ...problem import Problem


def warn_of_unheard_alerts(stack: StackConfig) -> Iterator[Problem]:
    """Warn of receivers that miss alerts: of the outage of Prometheus itself, or all but the Watchdog.

    A stack without ``notify`` sends nothing, as it says. Routes of an Alertmanager config of its own are not judged.
    """
    monitoring = stack.monitoring
    if not isinstance(monitoring, InstallMonitoring) or not monitoring.notify or _has_own_routes(stack):
        return
    path, notify = ("monitoring", "notify"), monitoring.notify
    if not notify.watchdog:
        reason = "if Prometheus or Alertmanager is down, no alert is sent, and nobody hears of it"
        hint = "write watchdog: true, and give the address of a dead man's switch outside the cluster: "
        hint += "`pulumi config set --secret watchdogUrl`"
        yield Problem("watchdog-unheard", path, reason, hint, severity="warning")
    elif not (notify.slack_channel or notify.emails or notify.pagerduty):
        reason = "the dead man's switch hears that Prometheus works, and nobody hears any other alert"
        hint = "write slackChannel, emails or pagerduty: true beside it"
        yield Problem("watchdog-alone", path, reason, hint, severity="warning")


def _has_own_routes(stack: StackConfig) -> bool:
    """Return True if Helm values replace the routes that follow from ``notify``."""
    values = stack.helm_overrides.kube_prometheus_stack.get("alertmanager")
    if not isinstance(values, dict):
        return values is not None
    spec = values.get("alertmanagerSpec")
    spec = spec if isinstance(spec, dict) else {}
    is_text = values.get("tplConfig") and values.get("stringConfig")  # the chart reads the text beside tplConfig alone
    return bool(
        values.get("config") or is_text or spec.get("useExistingSecret") or spec.get("alertmanagerConfiguration")
    )
