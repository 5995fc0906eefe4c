"""Inference services: KEDA, and the objects that scale a Deployment."""
