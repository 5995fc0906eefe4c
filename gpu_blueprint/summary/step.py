"""One step of an explanation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A step that follows from earlier steps; ``lines`` are text for people."""

    title: str
    lines: tuple[str, ...]
