"""Panels: their texts, their sizes and their places on the grid."""

from itertools import combinations, groupby
from typing import Any

import pytest

from gpu_blueprint.monitoring.dashboards import DASHBOARDS, Dashboard, Panel, place_panels
from gpu_blueprint.monitoring.dashboards.panels import GRID


def each_panel() -> list[Any]:
    return [pytest.param(panel, id=f"{page.uid}: {panel.title}") for page in DASHBOARDS for panel in page.panels]


@pytest.mark.parametrize("page", DASHBOARDS, ids=lambda page: page.uid)
def test_panels_stay_on_the_grid_and_do_not_overlap(page: Dashboard) -> None:
    places = [place for _, place in place_panels(page)]
    assert all(place.x >= 0 and place.x + place.width <= GRID and place.height > 0 for place in places)
    for first, second in combinations(places, 2):
        beside = first.x + first.width <= second.x or second.x + second.width <= first.x
        assert beside or first.y + first.height <= second.y or second.y + second.height <= first.y


@pytest.mark.parametrize("page", DASHBOARDS, ids=lambda page: page.uid)
def test_panels_fill_each_line_of_the_grid(page: Dashboard) -> None:
    for _, line in groupby(place_panels(page), key=lambda found: found[1].y):
        places = [place for _, place in line]
        assert sum(place.width for place in places) == GRID
        assert len({place.height for place in places}) == 1


@pytest.mark.parametrize("panel", each_panel())
def test_a_panel_has_a_description_and_its_title_fits(panel: Panel) -> None:
    assert panel.about.endswith(".") and len(panel.about) > 30
    assert panel.queries and len(panel.title) <= panel.width * 7
    rising = [value for value, _ in panel.thresholds]
    assert rising == sorted(rising)
    if len(panel.queries) > 1:
        assert len({query.legend for query in panel.queries}) == len(panel.queries)
