"""The part of gpu-blueprint that thinks: nothing here creates a resource."""

__version__ = "0.3.0"
