"""Dollars that may be partly unknown, and the three answers to «what does it cost?»."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..catalog.prices import HOURS_A_MONTH


@dataclass(frozen=True, slots=True)
class Usd:
    """US dollars: what is known of a sum, and the names of what has no known price in it."""

    known: float = 0.0
    unknown: frozenset[str] = frozenset()

    def __add__(self, other: "Usd") -> "Usd":
        return Usd(self.known + other.known, self.unknown | other.unknown)

    def __mul__(self, factor: float) -> "Usd":
        return Usd(self.known * factor, self.unknown) if factor else Usd()

    def __str__(self) -> str:
        if self.unknown:
            return f"> ${self.known:,.2f}" if self.known else "unknown"
        return f"${self.known:,.2f}"

    @property
    def exact(self) -> float | None:
        """The sum in cents' precision; None when a part of it is unknown, which is not the same as free."""
        return None if self.unknown else round(self.known, 2)


@dataclass(frozen=True, slots=True)
class Spend:
    """Dollars in one hour of a kind, and in a month of 730 hours."""

    hour: Usd = Usd()
    month: Usd = Usd()

    @classmethod
    def always(cls, hour: Usd) -> "Spend":
        """The same in every hour of the month."""
        return cls(hour, hour * HOURS_A_MONTH)

    @classmethod
    def on_average(cls, month: Usd) -> "Spend":
        """A month's sum and its average hour."""
        return cls(month * (1 / HOURS_A_MONTH), month)

    def __add__(self, other: "Spend") -> "Spend":
        return Spend(self.hour + other.hour, self.month + other.month)

    def __mul__(self, factor: float) -> "Spend":
        return Spend(self.hour * factor, self.month * factor)


@dataclass(frozen=True, slots=True)
class Cost:
    """What something costs when nothing runs, as expected, and when every limit is reached."""

    floor: Spend = Spend()
    expected: Spend = Spend()
    ceiling: Spend = Spend()

    @classmethod
    def total(cls, costs: Iterable["Cost"]) -> "Cost":
        """The sum of several."""
        return sum(costs, start=cls())

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.floor + other.floor, self.expected + other.expected, self.ceiling + other.ceiling)

    def __mul__(self, factor: float) -> "Cost":
        return Cost(self.floor * factor, self.expected * factor, self.ceiling * factor)
