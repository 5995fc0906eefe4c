"""KEDA and the autoscalers of inference services."""
