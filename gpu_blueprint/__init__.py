"""The part of gpu-blueprint that reads, checks and explains stacks; nothing here creates a cloud resource."""

__version__ = "0.3.0"
