"""The command line: the only code that prints and exits."""

from .main import main

__all__ = ["main"]
