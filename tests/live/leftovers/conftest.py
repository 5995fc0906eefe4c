"""An account that holds nothing but the objects that a test makes."""

import urllib.request
from collections.abc import Iterator

import pytest

from ...support.aws_endpoint import Endpoint, as_xml
from ...support.plans import STACKS


@pytest.fixture
def cloud(aws_endpoint: Endpoint, moto: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Moto behind its front, empty; the command line reads the stacks of the tests."""
    monkeypatch.chdir(STACKS.parent)
    # moto answers DescribePlacementGroups with an error
    aws_endpoint.answers["DescribePlacementGroups"] = as_xml("DescribePlacementGroups", "<placementGroupSet/>")
    _empty(moto)
    yield aws_endpoint
    _empty(moto)


def _empty(moto: str) -> None:
    with urllib.request.urlopen(urllib.request.Request(f"http://{moto}/moto-api/reset", method="POST")):
        pass
