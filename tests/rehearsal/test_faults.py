"""Faults of EC2 for as long as a probe runs."""

from gpu_blueprint.rehearsal.faults import refuse_purchase
from gpu_blueprint.rehearsal.stage import Stage

from ..support import builders
from ..support.fake_lab import FakeLab
from ..support.rehearsals import load_example

CONFIG = builders.config(pools=[builders.pool(instanceTypes=["g6.xlarge", "g6.12xlarge"], purchase=["spot"])])


def test_spot_is_refused_for_the_types_of_a_pool_until_the_end() -> None:
    lab = FakeLab()
    with refuse_purchase(Stage(lab.as_lab()), CONFIG, CONFIG.gpu_pools[0], ["spot"]):
        assert not lab.aws.faults.has_capacity("spot", "g6.12xlarge", "us-east-1b")
        assert lab.aws.faults.has_capacity("on-demand", "g6.12xlarge", "us-east-1b")
        assert lab.aws.faults.has_capacity("spot", "g5.xlarge", "us-east-1b")
    assert lab.aws.faults.has_capacity("spot", "g6.12xlarge", "us-east-1b")


def test_a_reservation_is_full_until_the_end_also_of_a_failed_probe() -> None:
    lab, config = FakeLab(), load_example("training-on-reserved-h100")
    try:
        with refuse_purchase(Stage(lab.as_lab()), config, config.gpu_pools[0], ["reserved"]):
            assert lab.aws.faults.reservations == {"cr-0d4c7a91e2b85f368": 0}
            assert lab.aws.faults.insufficient == set()
            raise RuntimeError
    except RuntimeError:
        assert lab.aws.faults.reservations == {}


def test_nothing_is_refused_if_no_way_to_buy_is_named() -> None:
    lab = FakeLab()
    with refuse_purchase(Stage(lab.as_lab()), CONFIG, CONFIG.gpu_pools[0], []):
        assert (lab.aws.faults.insufficient, lab.aws.faults.reservations) == (set(), {})
