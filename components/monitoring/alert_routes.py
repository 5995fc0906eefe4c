"""Alertmanager's routing: who is told of what. Secrets are files that it mounts, and stand in no value."""

from typing import Any

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.config.monitoring import PAGERDUTY_KEY, SLACK_WEBHOOK, SMTP_PASSWORD, Notify
from gpu_blueprint.monitoring.rules import SOURCE

SECRET = "alert-routes"
_FOLDER = f"/etc/alertmanager/secrets/{SECRET}"
NOBODY, TEAM, ON_CALL = "nobody", "team", "on-call"
_TEXT = (
    "{{ range .Alerts }}*{{ .Annotations.summary }}*\n"
    # What ours say, and what the chart's do.
    "{{ with .Annotations.costs }}{{ . }}\n{{ end }}{{ with .Annotations.first_steps }}{{ . }}\n{{ end }}"
    "{{ with .Annotations.description }}{{ . }}\n{{ end }}{{ with .Annotations.runbook_url }}{{ . }}\n{{ end }}{{ end }}"
)


def alertmanager_config(notify: Notify | None) -> dict[str, Any]:
    """Alertmanager's config: everything to the team, critical alerts to whoever is on call besides."""
    team = _slack(notify) | _email(notify) if notify else {}
    paged = bool(notify and notify.pagerduty)
    return {
        "route": {
            "receiver": TEAM if team else NOBODY,
            "group_by": ["alertname", "pool", "namespace"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
            "routes": [
                {"receiver": NOBODY, "matchers": ['alertname =~ "Watchdog|InfoInhibitor"']},
                # Placeholders wait whenever work needs their room; GpuPodPending passes over them, too.
                {"receiver": NOBODY, "matchers": [f'namespace = "{namespaces.HEADROOM}"', 'severity != "critical"']},
                *([{"receiver": ON_CALL, "matchers": ['severity = "critical"'], "continue": True}] if paged else []),
                *([{"receiver": TEAM, "matchers": ['severity =~ ".+"']}] if paged and team else []),
            ],
        },
        "inhibit_rules": _inhibited(),
        "receivers": [
            {"name": NOBODY},
            *([{"name": TEAM, **team}] if team else []),
            *([{"name": ON_CALL, **_pagerduty()}] if paged else []),
        ],
    }


def _inhibited() -> list[dict[str, Any]]:
    """Which alerts are not told of while another fires; left out, the chart's own list would stay.

    That one keeps back every alert of severity ``info`` which is alone in its namespace: right for the chart's, which only
    explain others, and wrong for ours.
    """
    same = ["namespace", "alertname"]
    return [
        {
            "source_matchers": ['severity = "critical"'],
            "target_matchers": ['severity =~ "warning|info"'],
            "equal": same,
        },
        {"source_matchers": ['severity = "warning"'], "target_matchers": ['severity = "info"'], "equal": same},
        {
            "source_matchers": ['alertname = "InfoInhibitor"'],
            "target_matchers": ['severity = "info"', f'source != "{SOURCE}"'],
            "equal": ["namespace"],
        },
    ]


def _slack(notify: Notify) -> dict[str, Any]:
    if notify.slack_channel is None:
        return {}
    one = {
        "api_url_file": f"{_FOLDER}/{SLACK_WEBHOOK}",
        "channel": notify.slack_channel,
        "send_resolved": True,
        "title": "{{ .Status | toUpper }}: {{ .CommonLabels.alertname }}",
        "text": _TEXT,
    }
    return {"slack_configs": [one]}


def _email(notify: Notify) -> dict[str, Any]:
    if notify.smtp is None:
        return {}
    server = {
        "smarthost": notify.smtp.host,
        "from": notify.smtp.sender,
        "auth_username": notify.smtp.username,
        "auth_password_file": f"{_FOLDER}/{SMTP_PASSWORD}",
    }
    return {"email_configs": [{"to": ", ".join(notify.emails), "send_resolved": True, **server}]}


def _pagerduty() -> dict[str, Any]:
    return {"pagerduty_configs": [{"routing_key_file": f"{_FOLDER}/{PAGERDUTY_KEY}", "send_resolved": True}]}
