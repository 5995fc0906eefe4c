"""Boxes of GPUs: each unit has the colour of its grant, and the colours add up to the grants."""

from collections import Counter

import pytest

from gpu_blueprint.pages.gpu_boxes import FREE, GpuBoxes, fill_boxes
from gpu_blueprint.pages.view import GrantView, PoolView, SliceView

STYLES = {"a": "blue", "b": "red"}
WHOLE = (SliceView("gpu", 1),)
MIXED = (SliceView("1g", 1 / 7), SliceView("1g", 1 / 7), SliceView("3g", 3 / 7))


def make_pool(gpus: int, slices: tuple[SliceView, ...], *grants: GrantView) -> PoolView:
    return PoolView(
        name="main",
        purpose="inference",
        gpu="L4",
        gpus=gpus,
        node_gpus=1,
        sharing="shared",
        slices=slices,
        purchase=("spot",),
        reserved_gpus=0,
        usd_per_hour=None,
        grants=grants,
        servers=(),
    )


def sum_gpus(filled: GpuBoxes) -> dict[str, object]:
    """Return style → GPUs in this colour."""
    found: Counter[str] = Counter()
    for box in filled.boxes:
        for cell in box:
            found[cell.style] += cell.share * filled.gpus_each  # type: ignore[assignment]
    return {style: pytest.approx(gpus) for style, gpus in found.items()}


def test_each_unit_of_a_cut_gpu_has_the_colour_of_its_grant() -> None:
    pool = make_pool(2, MIXED, GrantView("a", {"1g": 1, "3g": 2}), GrantView("b", {"1g": 2}))
    assert [[cell.style for cell in box] for box in fill_boxes(pool, STYLES, 9).boxes] == [
        ["blue", "red", "blue"],
        ["red", FREE, "blue"],
    ]
    assert pool.ungranted == {"1g": 1}


@pytest.mark.parametrize(
    ("gpus", "slices", "granted", "each", "boxes"),
    [
        (3, WHOLE, {"blue": 1, "red": 2}, 1, 3),
        (60, WHOLE, {"blue": 25, "red": 10, FREE: 25}, 1, 60),
        (61, WHOLE, {"blue": 25, "red": 10, FREE: 26}, 2, 31),
        (10_000, WHOLE, {"blue": 1, "red": 9_999}, 200, 50),
        (5, (SliceView("gpu.shared", 1 / 48),) * 48, {"blue": 0.5, "red": 3.25, FREE: 1.25}, 1, 5),
    ],
)
def test_the_colours_add_up_to_the_grants(
    gpus: int, slices: tuple[SliceView, ...], granted: dict[str, float], each: int, boxes: int
) -> None:
    unit = slices[0]
    grants = [GrantView(name, {unit.resource: round(granted[STYLES[name]] / unit.share)}) for name in STYLES]
    filled = fill_boxes(make_pool(gpus, slices, *grants), STYLES, 60)
    assert (filled.gpus_each, len(filled.boxes)) == (each, boxes)
    assert sum_gpus(filled) == granted


def test_grants_beyond_the_limit_fill_the_boxes_and_no_more() -> None:
    for gpus in (4, 400):
        pool = make_pool(gpus, WHOLE, GrantView("a", {"gpu": gpus - 1}), GrantView("b", {"gpu": gpus}))
        assert sum_gpus(fill_boxes(pool, STYLES, 60)) == {"blue": gpus - 1, "red": 1}
        assert pool.ungranted == {}
