"""Models that the platform serves."""

from ..facet import collect
from . import caches, flags, formats, images, memory, names, pools, room, served_weights, shares, sources

CHECKS = collect(caches, flags, formats, images, memory, names, pools, room, served_weights, shares, sources)
