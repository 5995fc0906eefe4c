"""Pods and objects of tenants."""
