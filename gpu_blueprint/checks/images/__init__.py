"""Images and the registries from which nodes pull them."""

from ..facet import collect
from . import images, prepull

CHECKS = collect(images, prepull)
