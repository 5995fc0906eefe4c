"""Inference services: KEDA, and the objects that scale one Deployment each."""
