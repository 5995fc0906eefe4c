"""KMS keys of the company."""

from ..facet import collect

CHECKS = collect(__name__)
