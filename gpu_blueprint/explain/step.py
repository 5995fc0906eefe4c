"""One step of an explanation."""

from ..records import Record


class Step(Record):
    """A step that follows from earlier steps; ``lines`` are text for people."""

    title: str
    lines: tuple[str, ...]
