from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from gpu_blueprint.catalog import table
from gpu_blueprint.catalog.table import read_table
from gpu_blueprint.records import Record, field


class Row(Record, kw_only=True):
    name: str = field(name="type")
    count: int
    usd: float
    kind: Literal["spot", "on-demand"]
    regions: frozenset[str]
    is_seen: bool = field(name="seen")
    fault: str | None
    as_of: date


HEAD = "# A comment.\ntype,count,usd,kind,regions,seen,fault,as_of,source\n"
GOOD = 'p5.48xlarge,8,55,spot,b a,yes,,2026-11-23,"a page, of AWS"\n'


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    monkeypatch.setattr(table, "__file__", str(tmp_path / "table.py"))
    return lambda text: (tmp_path / "rows.csv").write_text(HEAD + text)


def test_cells_become_the_types_of_the_fields(write: Callable[[str], int]) -> None:
    write(GOOD)
    [row] = read_table("rows.csv", Row)
    assert row == Row(
        name="p5.48xlarge",
        count=8,
        usd=55.0,
        kind="spot",
        regions=frozenset({"a", "b"}),
        is_seen=True,
        fault=None,
        as_of=date(2026, 11, 23),
    )


@pytest.mark.parametrize(
    ("cell", "wrong", "column"),
    [(",8,", ",eight,", "count"), (",spot,", ",market,", "kind"), (",55,", ",,", "usd"), ("-23", "-33", "as_of")],
)
def test_a_wrong_cell_is_named_with_its_line_and_column(
    write: Callable[[str], int], cell: str, wrong: str, column: str
) -> None:
    write(f"{GOOD}# Another comment.\n{GOOD.replace(cell, wrong)}")
    with pytest.raises(ValueError, match=rf"^rows\.csv, line 5: .*\.{column}`$"):
        list(read_table("rows.csv", Row))
