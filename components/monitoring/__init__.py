"""Prometheus, Alertmanager, Grafana, and the monitors, rules and dashboards that they read."""
