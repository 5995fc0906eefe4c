"""Images and the registries from which nodes pull them."""

from ..facet import collect

CHECKS = collect(__name__)
