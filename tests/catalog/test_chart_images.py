"""The catalogue of images knows every chart at the version that stacks get."""

import re

import pytest

from gpu_blueprint.catalog.chart_images import FILE, list_chart_images
from gpu_blueprint.catalog.table import read_rows
from gpu_blueprint.catalog.versions import (
    DCGM_EXPORTER_IMAGE,
    JOBSET_IMAGE,
    KARPENTER_VERSIONS,
    KUEUE_IMAGE,
    Chart,
    list_charts,
)

from ..support.image_stacks import full_plan
from ..support.plans import find_resources

CHARTS = sorted({chart for version in KARPENTER_VERSIONS for chart in list_charts(version)}, key=str)
WITHOUT_PODS = {"karpenter-crd", "prometheus-operator-crds"}
FORMS = {"repository", "registry", "folder"}
ROWS = [row for row in read_rows(FILE) if row["image"]]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: f"{chart.name} {chart.version}")
def test_the_catalogue_has_the_images_of_each_chart_at_its_pinned_version(chart: Chart) -> None:
    assert bool(list_chart_images(chart.name, chart.version)) == (chart.name not in WITHOUT_PODS)


def test_the_list_of_charts_is_the_list_of_releases() -> None:
    releases = {(found.inputs["name"], found.inputs["version"]) for found in find_resources(full_plan(), "Release")}
    assert releases == {(chart.name, chart.version) for chart in list_charts(KARPENTER_VERSIONS[0])}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['chart']} {row['at']}")
def test_each_row_has_a_pinned_image_a_place_a_form_and_a_source(row: dict[str, str]) -> None:
    assert re.fullmatch(r"[a-z0-9./-]+:v?[0-9][\w.-]*(@sha256:[0-9a-f]{64})?", row["image"])
    assert row["at"] and row["form"] in FORMS and row["source"]


def test_no_place_stands_twice_in_a_chart() -> None:
    places = [(row["chart"], row["version"], row["at"]) for row in ROWS]
    assert len(places) == len(set(places))


def test_images_that_the_blueprint_names_itself_are_the_images_of_the_charts() -> None:
    images = {row["image"] for row in ROWS}
    assert DCGM_EXPORTER_IMAGE in images
    for own in (KUEUE_IMAGE, JOBSET_IMAGE):
        assert any(image.startswith(f"{own}:") for image in images)


def test_an_unknown_version_is_an_error_and_not_an_empty_list() -> None:
    with pytest.raises(LookupError, match=r"chart_images.csv has no images of the chart keda 0\.0\.1"):
        list_chart_images("keda", "0.0.1")
