"""The opening hours of a pool, as `explain` shows them."""

from gpu_blueprint.summary.pool_chain import explain

from ..components.pools.test_pool_hours import pools
from ..support import builders


def said(pool: str) -> str:
    config = builders.config(pools=pools())
    steps = {step.title: step.lines for step in explain(config, config.pools_by_name[pool])}
    return "\n".join(steps.get("hours", ()))


def test_explain_says_when_a_pool_is_open_and_what_happens_at_the_end() -> None:
    assert said("lab").splitlines() == [
        "mon–fri 07:00–20:00 Europe/Berlin: 65 hours a week, 282 of 730 a month",
        "closes at '0 20-23 * * mon-fri': Karpenter launches nothing more (limits cpu: 0); its nodes are drained, within 1h",
        "opens at '0 7-19 * * mon-fri'",
    ]
    assert "its nodes take no new pods, and go when their jobs are done" in said("train")
    assert said("always") == ""
