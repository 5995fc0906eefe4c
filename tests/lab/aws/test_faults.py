"""The troubles that EC2 may have."""

import pytest

from lab.aws import Faults


@pytest.mark.parametrize("pattern", ["spot:g6e.xlarge:us-east-1a", "spot:g6e.*:*", "*:us-east-1a"])
def test_a_pattern_takes_an_offer_away(pattern: str) -> None:
    assert not Faults(insufficient={pattern}).has_capacity("spot", "g6e.xlarge", "us-east-1a")


@pytest.mark.parametrize("pattern", ["spot:g6.*:*", "on-demand:*", "spot:*:us-east-1b"])
def test_a_pattern_leaves_other_offers(pattern: str) -> None:
    assert Faults(insufficient={pattern}).has_capacity("spot", "g6e.xlarge", "us-east-1a")
