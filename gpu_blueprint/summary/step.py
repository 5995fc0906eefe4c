"""One step of an explanation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A step that follows from the steps before it; ``lines`` are text for people."""

    title: str
    lines: tuple[str, ...]
