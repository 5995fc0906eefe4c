"""Metrics, recording rules, alerts and dashboards of the platform, as plain values."""

from .alerts import ALERTS
from .recording import RECORDINGS
from .rule_files import rule_groups
from .rules import Alert, Recording

__all__ = ["ALERTS", "RECORDINGS", "Alert", "Recording", "rule_groups"]
