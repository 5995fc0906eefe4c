"""Windows of a week: opening hours and the windows of disruption budgets."""

import pytest

from gpu_blueprint.config import Hours
from gpu_blueprint.config.disruption import Budget
from gpu_blueprint.replay.week import Windows, find_budget_windows, find_opening

HOUR = 3600
DAYS = {"mon": 0, "tue": 24, "wed": 48, "thu": 72, "fri": 96, "sat": 120, "sun": 144}

OPENINGS = [
    pytest.param("08:00", "20:00", ["mon", "fri"], {"mon": [8, 19], "fri": [8]}, {"mon": [7, 20], "tue": [9]}),
    pytest.param("22:00", "06:00", ["sun"], {"sun": [22, 23], "mon": [0, 5]}, {"sun": [21], "mon": [6], "sat": [23]}),
    pytest.param("00:00", "24:00", ["sat", "sun"], {"sat": [0, 23], "sun": [0, 23]}, {"fri": [23], "mon": [0]}),
    pytest.param("09:00", "08:00", [*DAYS], {"mon": [7, 9], "sun": [9]}, {"mon": [8], "sun": [8]}),
]


@pytest.mark.parametrize(("start", "stop", "days", "open_at", "closed_at"), OPENINGS)
def test_a_pool_is_open_in_its_hours(
    start: str, stop: str, days: list[str], open_at: dict[str, list[int]], closed_at: dict[str, list[int]]
) -> None:
    windows = find_opening(Hours.model_validate({"start": start, "stop": stop, "days": days}))
    for expected, times in ((True, open_at), (False, closed_at)):
        moments = [(DAYS[day] + hour) * HOUR for day, hours in times.items() for hour in hours]
        assert {windows.holds(moment) for moment in moments} == {expected}
        assert {windows.holds(moment + 5 * 7 * 24 * HOUR) for moment in moments} == {expected}


BUDGETS = [
    pytest.param("0 6 * * mon-fri", "14h", "mon", 6, 20),
    pytest.param("30 22 * * 0", "3h30m", "sun", 22.5, 26),
    pytest.param("@weekly", "1h", "sun", 0, 1),
    pytest.param("0 8 15 * *", "2h", "wed", 8, 10),
]


@pytest.mark.parametrize(("schedule", "duration", "day", "begin", "end"), BUDGETS)
def test_a_budget_holds_in_its_windows(schedule: str, duration: str, day: str, begin: float, end: float) -> None:
    windows = find_budget_windows(Budget(nodes="0", schedule=schedule, duration=duration))
    assert windows is not None
    moments = [(DAYS[day] + hour) * HOUR for hour in (begin - 0.01, begin, end - 0.01, end)]
    assert [windows.holds(moment) for moment in moments] == [False, True, True, False]


def test_a_budget_without_schedule_always_holds() -> None:
    assert find_budget_windows(Budget(nodes="1")) is None


def test_windows_open_and_close_at_their_edges_in_every_week_of_a_stretch() -> None:
    windows = Windows((8.0 * HOUR, 20.0 * HOUR))
    assert [*windows.list_edges(0, 8 * 24 * HOUR)] == [hour * HOUR for hour in (8, 20, 176, 188)]
    assert [*windows.list_edges(10 * HOUR, 24 * HOUR)] == [10 * HOUR]
