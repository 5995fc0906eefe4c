"""Storage that tenants share."""

from ..facet import collect
from . import buckets, storage

CHECKS = collect(buckets, storage)
