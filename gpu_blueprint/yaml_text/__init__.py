"""YAML text: how readers of YAML interpret scalars, and values as text that all readers read alike."""

from .dumper import write_yaml

__all__ = ["write_yaml"]
