"""The result of a lifecycle: its steps, the order of its destroy, and everything that is left."""

from ..records import Record
from .order import Wave


class Step(Record):
    """One step of a life."""

    name: str
    resources: int
    """Resources that the step is about: made, compared or deleted."""
    seconds: float
    differences: tuple[str, ...] = ()
    """A line for each thing that is not as promised."""

    @property
    def is_as_promised(self) -> bool:
        """True if nothing differs."""
        return not self.differences


class Life(Record):
    """The life of a stack, from its first preview to its destroy."""

    stack: str
    steps: tuple[Step, ...]
    left: tuple[str, ...]
    """Everything that still exists after the destroy."""
    waves: tuple[Wave, ...]
    """The deletes in their order."""

    @property
    def is_as_promised(self) -> bool:
        """True if no step differs and nothing is left."""
        return not self.left and all(step.is_as_promised for step in self.steps)
