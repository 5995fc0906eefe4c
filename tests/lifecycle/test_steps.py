"""The lives of the shipped stacks: on the lab as they are, and in memory where a promise must break."""

from collections.abc import Callable

import pytest

from components.pools.gpu_pool import GpuPool
from gpu_blueprint.lifecycle.life import Life, Step

from ..support.engine_sessions import open_in_lab
from ..support.plans import SHIPPED, shipped_config

pytestmark = pytest.mark.lab
ANSWERS = {"preview", "up", "pods on every pool", "up again", "refresh", "destroy"}
PROTECTED = {"destroy, protected", "lift the protection"}


def ignore(_: str) -> None:
    pass


def find_step(life: Life, name: str) -> Step:
    (step,) = [step for step in life.steps if step.name == name]
    return step


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_shipped_stack_lives_as_promised_and_leaves_nothing(stack: str) -> None:
    config = shipped_config(stack)
    with open_in_lab(stack) as lifecycle:
        life = lifecycle.live(ignore)
    assert [step for step in life.steps if not step.is_as_promised] == []
    assert life.left == () and life.is_as_promised
    is_protected = config.cluster.deletion_protection
    assert {step.name for step in life.steps} == ANSWERS | (PROTECTED if is_protected else set())
    assert find_step(life, "pods on every pool").resources >= len(config.pools)  # nodes ran when the destroy began
    assert find_step(life, "up").resources > 100


@pytest.fixture
def pools_without_karpenter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program with pools that depend on no chart."""
    build: Callable[..., None] = GpuPool.__init__
    monkeypatch.setattr(GpuPool, "__init__", lambda *given, **more: build(*given, **{**more, "depends_on": []}))


@pytest.mark.usefixtures("pools_without_karpenter")
def test_a_program_whose_pools_depend_on_no_chart_hangs_and_leaves_a_node() -> None:
    with open_in_lab("dev", longest_delete=25) as lifecycle:
        life = lifecycle.live(ignore)
    destroy = "\n".join(find_step(life, "destroy").differences)
    assert "NodePool gpu-dev-shared-l4-node-pool does not depend on Release gpu-dev-karpenter-controller" in destroy
    assert "Release gpu-dev-karpenter-controller went before gpu-dev-shared-l4-node-pool" in destroy
    assert "NodePool shared-l4 is still there after 25 s" in destroy
    kinds = {name.split()[0] for name in life.left}
    assert {"Node", "NodeClaim", "instance", "Cluster", "Subnet"} <= kinds and not life.is_as_promised
