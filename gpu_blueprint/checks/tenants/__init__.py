"""Tenants, their quotas and identities."""

from ..facet import collect
from . import accounts, identities, isolation, quotas, tenancy

CHECKS = collect(accounts, identities, isolation, quotas, tenancy)
