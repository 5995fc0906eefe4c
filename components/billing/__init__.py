"""Budgets, anomaly alarms, cost tags and the billing export."""
