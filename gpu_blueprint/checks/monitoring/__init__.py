"""Alerts and their receivers."""

from ..facet import collect
from . import alert_receivers, alerts_off

CHECKS = collect(alert_receivers, alerts_off)
