"""The real Karpenter with nodes that drift: which pods get a successor first, and which nodes stay."""

from collections.abc import Iterator

import pytest

from gpu_blueprint.changes.drains import find_drains

from ..support.successor_lab import SuccessorLab, open_successor_lab

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab() -> Iterator[SuccessorLab]:
    with open_successor_lab() as opened:
        yield opened


def test_a_pod_that_may_not_be_evicted_keeps_no_node_and_gets_no_successor(lab: SuccessorLab) -> None:
    drains = {drain.pool: drain.pinned for drain in find_drains(lab.before, lab.after, ())}
    assert drains["pins"].endswith("no successor starts for it, and it is deleted after 40s less its own grace")
    pinned = ["always", "an-hour", "budget", "full-pin"]
    assert lab.watch_until_gone(pinned) >= set(pinned)
    assert lab.count("pins", new=True) == 1, "the pod that may be evicted has a successor, the others have none"
    assert lab.count("full-pin", new=True) == 0, "a full reservation does not keep the node of such a pod"


def test_without_a_grace_period_it_keeps_its_node(lab: SuccessorLab) -> None:
    drains = {drain.pool: drain.pinned for drain in find_drains(lab.before, lab.after, ())}
    assert drains["kept"].endswith("keeps its node")
    assert lab.is_drifted("kept") and lab.count("kept", new=True) == 0
