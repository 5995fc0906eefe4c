"""Karpenter: its charts, its IAM policies and its interruption queue."""
