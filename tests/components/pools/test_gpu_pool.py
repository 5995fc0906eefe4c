"""The objects of a GPU pool."""

import pytest

from ...support.plans import SHIPPED, plan, some


@pytest.mark.parametrize("stack", SHIPPED)
def test_only_pools_and_their_classes_may_take_45_minutes_to_go(stack: str) -> None:
    slow = {found.urn: found.options["customTimeouts"] for found in plan(stack) if "customTimeouts" in found.options}
    expected = [*some(plan(stack), "NodePool"), *some(plan(stack), "EC2NodeClass")]
    assert slow == {found.urn: {"delete": "45m"} for found in expected}
