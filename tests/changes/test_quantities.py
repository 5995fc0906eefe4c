from decimal import Decimal
from typing import Any

import pytest

from gpu_blueprint.changes.quantities import read_quantity


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", 2),
        ("2000m", 2),
        (2, 2),
        (0.5, Decimal("0.5")),
        ("1k", 1000),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1E", 10**18),
        ("1Ki", 1024),
        ("1.5Gi", Decimal("1.5") * 1024**3),
        ("10Ti", 10 * 1024**4),
        ("100u", Decimal("0.0001")),
        (".5", Decimal("0.5")),
        ("+3", 3),
        ("", None),
        ("-1", -1),
        ("1.2.3", None),
        (".", None),
        ([], None),
        ("2 cores", None),
        ("1K", None),
        ("e3", None),
        ("1e99999999999999999999", None),
        (None, None),
        (True, None),
        ({"$unknown": True}, None),
        ("١", None),
    ],
)
def test_a_quantity_is_read_as_kubernetes_reads_it(text: Any, number: Any) -> None:
    assert read_quantity(text) == number
