"""Scaling of the teams' Deployments."""
