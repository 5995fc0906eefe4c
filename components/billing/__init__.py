"""AWS's own watch on the bill: budget, anomaly alarms, cost allocation tags and the billing export."""
