"""A GPU pool: its time limits."""

import pytest

from ...support.plans import SHIPPED, find_resources, plan


@pytest.mark.parametrize("stack", SHIPPED)
def test_only_node_pools_and_node_classes_have_45_minutes_for_their_deletion(stack: str) -> None:
    slow = {found.urn: found.options["customTimeouts"] for found in plan(stack) if "customTimeouts" in found.options}
    expected = [*find_resources(plan(stack), "NodePool"), *find_resources(plan(stack), "EC2NodeClass")]
    assert slow == {found.urn: {"delete": "45m"} for found in expected}
