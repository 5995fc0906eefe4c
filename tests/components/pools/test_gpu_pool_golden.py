"""What telling pools become stands in golden/pools, and was read; a change of it must be seen."""

import pytest

from ...support.plans import ROOT
from ...support.telling_pools import POOLS, rendered

GOLDEN = ROOT / "tests" / "golden" / "pools"


@pytest.mark.parametrize("name", POOLS)
def test_a_telling_pool_becomes_what_its_golden_file_says(name: str) -> None:
    assert rendered(name) == (GOLDEN / f"{name}.yaml").read_text(), "run make golden and read the diff"


def test_every_golden_pool_is_rendered() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(POOLS)
    assert len(POOLS) >= 12
