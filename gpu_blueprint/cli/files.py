"""Write a file completely or not at all."""

import tempfile
from pathlib import Path

from ..errors import UsageError


def write_whole(path: Path, text: str) -> None:
    """Write a temporary file in the same folder, then rename it, so that a failure leaves no incomplete file.

    Raises:
        UsageError: The file cannot be written.
    """
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; name a file in it")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as scratch:
            fresh = Path(scratch) / "new"
            fresh.write_text(text, encoding="utf-8", newline="")  # keeps the line ends of the text on every system
            fresh.rename(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
