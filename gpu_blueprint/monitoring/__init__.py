"""Metrics, recording rules, alerts and dashboards of the platform, as plain values."""

from .alerts import ALERTS
from .rule_files import RECORDINGS, build_rule_groups
from .rules import Alert, Recording

__all__ = ["ALERTS", "RECORDINGS", "Alert", "Recording", "build_rule_groups"]
