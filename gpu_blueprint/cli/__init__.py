"""The command line. No other code of this package prints or exits."""

from .main import main

__all__ = ["main"]
