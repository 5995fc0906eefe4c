"""When a pool is open: the same window on some days of the week, in one time zone.

What closes and opens it, and why so: docs/decisions/0007-hours.md.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ..catalog.prices import HOURS_A_MONTH
from ..errors import Problem
from ..model import Model
from .network import repeated
from .scalars import EndTime, TimeOfDay, TimeZone

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEK: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = 24 * 60
_LEAST = 60
"""Minutes between an opening and a close: each acts until at most 45 minutes later, and must not meet the other."""


def _listed(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError(f"{value!r} is not a list of days; write them all, such as [mon, tue, wed, thu, fri]")
    return value


class Hours(Model):
    """A weekly window; outside it the pool scales to zero, and in it comes back by itself."""

    timezone: TimeZone
    """IANA name of the zone that the times are in, such as `Europe/Berlin`; its daylight saving time is followed."""
    start: TimeOfDay
    """When the pool opens, quoted: `"07:30"`."""
    stop: EndTime
    """When it closes, quoted; on the next day where it is not after start, and `"24:00"` is midnight."""
    days: Annotated[list[Day], BeforeValidator(_listed)] = Field(["mon", "tue", "wed", "thu", "fri"], min_length=1)
    """Days on which it opens."""

    def problems(self) -> Iterator[Problem]:
        yield from repeated(self.days, "days")
        if self.start == self.stop:
            text = f"from {self.start} to {self.stop} it never starts or never stops"
            yield Problem("todo", ("stop",), f'{text}; whole days are start: "00:00" with stop: "24:00"')
        elif self._length < _LEAST:
            yield Problem(
                "todo",
                ("stop",),
                f"open for {self._length} minutes, in which hardly a node starts; make it an hour at least",
            )
        elif self._length == _DAY and len(set(self.days)) == len(WEEK):
            yield Problem("todo", (), "it never closes: leave hours out")
        elif _DAY - _LEAST < self._length < _DAY:
            yield Problem(
                "todo",
                ("stop",),
                f"closed for {_DAY - self._length} minutes, in which hardly a node drains; make it an hour at least",
            )

    @property
    def per_week(self) -> float:
        """Open hours of a week without a change of daylight saving time."""
        return len(self.days) * self._length / 60

    @property
    def per_month(self) -> float:
        """Open hours of an average month."""
        return self.per_week * HOURS_A_MONTH / (len(WEEK) * 24)

    @property
    def opens(self) -> str:
        """Cron schedule, in the zone, that opens the pool: at the start, and again every hour of that day in the window."""
        first = [day for day in self.days if not (self._whole_days and _beside(day, -1) in self.days)]
        return _hourly(self._start, self._start + self._length, first)

    @property
    def closes(self) -> str:
        """Cron schedule that closes it: at the stop, and again every hour of that day until a window may follow."""
        end = self._start + self._length
        if end < _DAY:
            return _hourly(end, self._start + _DAY, self.days)
        last = [_beside(day, 1) for day in self.days if not (self._whole_days and _beside(day, 1) in self.days)]
        return _hourly(end - _DAY, _DAY if self._whole_days else self._start, last)

    @property
    def _start(self) -> int:
        return _minutes(self.start)

    @property
    def _length(self) -> int:
        """Minutes of one window."""
        stop = _minutes(self.stop)
        return stop - self._start if stop > self._start else stop + _DAY - self._start

    @property
    def _whole_days(self) -> bool:
        """Whether the windows of consecutive days are one."""
        return self._length == _DAY

    def __str__(self) -> str:
        next_day = " next day" if self._start + self._length > _DAY else ""
        return f"{_in_runs(self.days, WEEK, '–', ', ')} {self.start}–{self.stop}{next_day} {self.timezone}"


def _minutes(time: str) -> int:
    hours, minutes = time.split(":")
    return int(hours) * 60 + int(minutes)


def _beside(day: Day, step: int) -> Day:
    return WEEK[(WEEK.index(day) + step) % len(WEEK)]


def _hourly(first: int, until: int, days: Sequence[Day]) -> str:
    """Fire at a minute of the day and hourly from there, on the same day and never within the hour before ``until``."""
    hour, minute = divmod(first, 60)
    last = (min(until - _LEAST, _DAY - 1) - minute) // 60
    # Cron's week begins with Sunday, and no range of it goes beyond its end.
    on = "*" if len(days) == len(WEEK) else _in_runs(days, ("sun", *WEEK[:-1]), "-", ",")
    return f"{minute} {hour if hour >= last else f'{hour}-{last}'} * * {on}"


def _in_runs(days: Sequence[Day], order: Sequence[Day], to: str, and_: str) -> str:
    """Write days in the order given, three or more in a row as a range."""
    runs: list[list[Day]] = []
    for day in (day for day in order if day in days):
        if runs and order.index(runs[-1][-1]) + 1 == order.index(day):
            runs[-1].append(day)
        else:
            runs.append([day])
    return and_.join(f"{run[0]}{to}{run[-1]}" if len(run) > 2 else and_.join(run) for run in runs)
