"""The confidence of a proposal."""

import pytest

from gpu_blueprint.live.advise.observed import Window
from gpu_blueprint.live.advise.proposal import judge_confidence


@pytest.mark.parametrize(
    ("window", "doubts", "level"),
    [
        (Window(days=7), (), "high"),
        (Window(days=7, coverage=0.89), (), "medium"),
        (Window(days=6), (), "medium"),
        (Window(days=1), (), "low"),
        (Window(days=30, coverage=0.05), (), "low"),
        (Window(days=7), ("a",), "medium"),
        (Window(days=7), ("a", "b", "c"), "low"),
    ],
)
def test_confidence_falls_with_the_window_and_each_doubt(window: Window, doubts: tuple[str, ...], level: str) -> None:
    found = judge_confidence(window, *doubts)
    assert found.level == level and all(doubt in found.reason for doubt in doubts)
