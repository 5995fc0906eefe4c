"""Prometheus, Alertmanager, Grafana and what they read."""
