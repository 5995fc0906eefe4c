import pytest

from gpu_blueprint.lifecycle.life import Life, Step


@pytest.mark.parametrize(
    ("differences", "left", "is_as_promised"),
    [((), (), True), (("up failed",), (), False), ((), ("Vpc vpc-1",), False)],
)
def test_a_life_is_as_promised_if_no_step_differs_and_nothing_is_left(
    differences: tuple[str, ...], left: tuple[str, ...], is_as_promised: bool
) -> None:
    steps = (Step("preview", 1, 1.0), Step("up", 1, 1.0, differences))
    assert Life("dev", steps, left, ()).is_as_promised is is_as_promised
