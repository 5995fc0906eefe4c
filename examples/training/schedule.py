"""When a checkpoint is due, and the learning rate of each step. Nothing here imports torch."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """The distance between two checkpoints, in steps, in seconds, or in both; the first that is over counts.

    `blueprint training-plan` computes the seconds. Each rank looks at its own clock, and the ranks' vote makes all of
    them save after the same step.
    """

    steps: int = 0
    seconds: float = 0.0

    def is_due(self, steps: int, seconds: float) -> bool:
        """Tell whether a checkpoint is due.

        Args:
            steps: Steps since the last checkpoint began.
            seconds: Seconds since the last checkpoint began.
        """
        if steps <= 0:
            return False
        return bool(self.steps and steps >= self.steps) or bool(self.seconds and seconds >= self.seconds)


def find_learning_rate(step: int, steps: int, peak: float, warmup: int) -> float:
    """Return the learning rate of a step: a linear start, then a half cosine down to a tenth.

    It depends on the step alone, so a run that resumes needs no state for it.
    """
    if step < warmup:
        return peak * (step + 1) / warmup
    part = (step - warmup) / max(1, steps - warmup)
    return peak * (0.55 + 0.45 * math.cos(math.pi * min(1.0, part)))
