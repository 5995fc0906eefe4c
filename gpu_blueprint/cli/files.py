"""Write a file completely or not at all."""

import os
import tempfile
from pathlib import Path

from ..errors import UsageError


def write_whole(path: Path, text: str) -> None:
    """Write a temporary file in the same folder, then rename it, so that a failure leaves no incomplete file.

    Raises:
        UsageError: The file cannot be written.
    """
    refuse_unwritable(path)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as scratch:
            fresh = Path(scratch) / "new"
            fresh.write_text(text, encoding="utf-8", newline="")  # keeps the line ends of the text on every system
            fresh.rename(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def refuse_unwritable(path: Path) -> None:
    """Refuse a path that cannot be written, before work that takes long.

    Raises:
        UsageError: Its folder is missing or takes no files, or the path is a folder.
    """
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; name a file in it")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise UsageError(f"{path}: cannot be written: no right to make files in {path.parent}")
