"""Tenants, their quotas and identities."""

from ..facet import collect
from . import accounts, identities, isolation, names, quotas, tenancy

CHECKS = collect(names, accounts, identities, isolation, quotas, tenancy)
