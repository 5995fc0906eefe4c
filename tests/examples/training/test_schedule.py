"""When checkpoints are due, and the learning rate of a step."""

import pytest

from examples.training.schedule import Interval, find_learning_rate


@pytest.mark.parametrize(
    ("interval", "steps", "seconds", "due"),
    [
        (Interval(steps=10), 9, 1e6, False),
        (Interval(steps=10), 10, 0, True),
        (Interval(seconds=600), 10**6, 599, False),
        (Interval(seconds=600), 1, 600, True),
        (Interval(steps=10, seconds=600), 3, 601, True),
        (Interval(steps=10, seconds=600), 11, 5, True),
        (Interval(steps=10, seconds=600), 0, 601, False),
        (Interval(), 10**6, 10**6, False),
    ],
)
def test_a_checkpoint_is_due_after_steps_or_seconds(interval: Interval, steps: int, seconds: float, due: bool) -> None:
    assert interval.is_due(steps, seconds) is due


def test_the_learning_rate_rises_to_its_peak_and_falls_to_a_tenth() -> None:
    rates = [find_learning_rate(step, 100, 2.0, 10) for step in range(101)]
    assert rates[0] == 0.2 and rates[9] == rates[10] == 2.0
    assert rates[10:] == sorted(rates[10:], reverse=True) and rates[100] == pytest.approx(0.2)
