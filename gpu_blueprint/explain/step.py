"""One step of an explanation."""

from ..records import Record


class Step(Record):
    """A titled step, with its lines of text."""

    title: str
    lines: tuple[str, ...]
