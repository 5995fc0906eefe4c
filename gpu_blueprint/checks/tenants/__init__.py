"""Tenants, their quotas and identities."""

from ..facet import collect

CHECKS = collect(__name__)
