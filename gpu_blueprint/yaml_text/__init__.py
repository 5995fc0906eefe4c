"""YAML text: how its readers interpret it, and values as text that all of them read alike."""

from .dumper import write_yaml

__all__ = ["write_yaml"]
