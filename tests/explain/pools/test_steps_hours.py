"""The opening hours of a pool, as `explain` shows them."""

from gpu_blueprint.explain.pools.steps import explain_pool

from ...components.pools.test_pool_hours import build_pools
from ...support import builders


def explain_hours(pool: str) -> str:
    config = builders.config(pools=build_pools())
    steps = {step.title: step.lines for step in explain_pool(config, config.gpu_pools_by_name[pool])}
    return "\n".join(steps.get("hours", ()))


def test_explain_shows_the_hours_and_the_effect_of_a_close() -> None:
    close = "Karpenter launches nothing more (limits cpu: 0); its nodes are drained, within 1h"
    assert explain_hours("lab").splitlines() == [
        "mon–fri 07:00–20:00 Europe/Berlin: 65 hours a week, 282 of 730 a month",
        f"closes at '0 20-23 * * mon-fri': {close}",
        "opens at '0 7-19 * * mon-fri'",
    ]
    assert "its nodes take no new pods, and Karpenter removes them when their jobs are done" in explain_hours("train")
    assert explain_hours("always") == ""
