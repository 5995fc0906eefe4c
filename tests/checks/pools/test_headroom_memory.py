"""Headroom that no node can hold is refused."""

import pytest

from ...support import builders


@pytest.mark.parametrize(("memory", "fits"), [("28Gi", True), ("29Gi", False), ("32Gi", False)])
def test_a_node_reserves_a_tenth_of_its_memory(memory: str, fits: bool) -> None:
    """A g6.2xlarge has 32 GiB."""
    room = {"pods": 1, "cpu": "1", "memory": memory}
    refusals = builders.problems(pools=[builders.pool(instanceTypes=["g6.2xlarge"], headroom=room)])
    assert (refusals == []) is fits
