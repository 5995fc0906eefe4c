"""The lines of a stack file that a command changes."""

from difflib import unified_diff


def list_changed_lines(before: str, after: str, file: str) -> list[str]:
    """Return the changed lines as `diff` writes them, without line ends; empty if nothing changes."""
    old, new = (text.removeprefix("\ufeff").splitlines() for text in (before, after))
    return [*unified_diff(old, new, fromfile=file, tofile=file, n=1, lineterm="")]
