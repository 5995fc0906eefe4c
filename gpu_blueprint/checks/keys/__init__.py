"""KMS keys of the company."""

from ..facet import collect
from . import keys

CHECKS = collect(keys)
