"""The images of each chart and its sub-charts at the pinned version: the rows of chart_images.csv."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, cast

from ..records import Record
from .table import read_rows

FILE = "chart_images.csv"

Form = Literal["repository", "registry", "folder"]
"""How the values of a chart name an image; the head of chart_images.csv explains each word."""


class ChartImage(Record, kw_only=True):
    """One image of a chart."""

    image: str
    """Name with tag, and with digest if the chart states it; an image of EKS has no registry here."""
    place: str
    """Place in the values of the chart, such as ``controller.image``."""
    form: Form
    condition: str
    """Place in the values that is false if the chart leaves the image out; empty if the chart always pulls it."""

    @property
    def is_of_eks(self) -> bool:
        """True for an image of EKS, which has its own registry in each region."""
        return "." not in self.image.partition("/")[0]


def list_chart_images(chart: str, version: str) -> tuple[ChartImage, ...]:
    """Return the images of a chart; none for a chart without pods.

    Raises:
        LookupError: The catalogue does not know the chart, or not at this version.
    """
    table = _read_table()
    if (chart, version) not in table:
        raise LookupError(f"{FILE} has no images of the chart {chart} {version}")
    return table[chart, version]


@cache
def _read_table() -> Mapping[tuple[str, str], tuple[ChartImage, ...]]:
    table: dict[tuple[str, str], tuple[ChartImage, ...]] = {}
    for row in read_rows(FILE):
        key = row["chart"], row["version"]
        table[key] = table.get(key, ()) + ((_read_image(row),) if row["image"] else ())
    return table


def _read_image(row: Mapping[str, str]) -> ChartImage:
    return ChartImage(image=row["image"], place=row["at"], form=cast(Form, row["form"]), condition=row["if"])
