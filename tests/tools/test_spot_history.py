"""The spot price history becomes a share of the on-demand price."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tools.aws import open_session, read_pages
from tools.spot_history import read_spot_shares

from ..support.moto_server import moto_server, sign_in


def test_spot_history_is_read_from_moto_as_from_ec2(monkeypatch: pytest.MonkeyPatch) -> None:
    """moto has the same price for every type, which rounds to a share of zero."""
    with moto_server() as endpoint:
        sign_in(monkeypatch, endpoint)
        connect, types = open_session(None), ["g6.xlarge", "p5.48xlarge"]
        pages = list(read_pages(connect, "ec2", "us-east-1", "describe_spot_price_history", InstanceTypes=types))
        usd = {"g6.xlarge": Decimal("0.00004"), "p5.48xlarge": Decimal(1)}
        shares = read_spot_shares(connect, "us-east-1", usd, datetime(2026, 11, 21, tzinfo=UTC))
    assert {record["InstanceType"] for record in pages[0]["SpotPriceHistory"]} == set(types)
    assert shares == {"g6": Decimal("0.25"), "p5": Decimal("0.00")}
