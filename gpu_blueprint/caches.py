"""The user's folder for caches, as the system names it."""

import os
import sys
from pathlib import Path


def find_cache_folder() -> Path | None:
    """Return the folder that XDG_CACHE_HOME names, else the system's folder in HOME; None if neither is set."""
    named, home = (Path(os.environ.get(variable, "")) for variable in ("XDG_CACHE_HOME", "HOME"))
    if named.is_absolute():  # the XDG Base Directory Specification ignores relative paths
        return named
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") if home.is_absolute() else None
