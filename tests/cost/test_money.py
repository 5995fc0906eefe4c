"""Dollars whose unknown parts stay unknown."""

import pytest

from gpu_blueprint.cost.money import Usd


@pytest.mark.parametrize(
    ("usd", "text"),
    [(Usd(1234.5), "$1,234.50"), (Usd(1.0, frozenset({"x"})), "> $1.00"), (Usd(unknown=frozenset({"x"})), "unknown")],
)
def test_dollars_show_that_a_part_is_unknown(usd: Usd, text: str) -> None:
    assert str(usd) == text


def test_zero_times_an_unknown_price_is_zero() -> None:
    assert Usd(unknown=frozenset({"x"})) * 0 == Usd()
