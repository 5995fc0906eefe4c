"""The cost of measured use."""

from gpu_blueprint.live.advise.bill import estimate_monthly_bill, measure_spot_part

from ...support.observations import WEEK, stack, use


def test_static_nodes_cost_the_price_of_the_pools_capacity_type() -> None:
    static = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 8}
    for how in ("spot", "on-demand"):
        config = stack(purchase=[how], **static)
        unlabelled, labelled = (
            estimate_monthly_bill(config, config.pools[0], use(how=label), WEEK) for label in ("", how)
        )
        assert unlabelled == labelled and measure_spot_part(config.pools[0], use(how="")) == (how == "spot")
