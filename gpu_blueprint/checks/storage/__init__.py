"""Storage that tenants share."""

from ..facet import collect

CHECKS = collect(__name__)
