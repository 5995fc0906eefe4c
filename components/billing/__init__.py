"""AWS's tools that watch the bill: budget, anomaly alarms, cost allocation tags and the billing export."""
