"""Amounts in the form that the API server keeps."""

import pytest

from gpu_blueprint.catalog.resources import write_quantity


@pytest.mark.parametrize(
    ("stated", "kept"),
    [
        *(("0", "0"), ("7", "7"), ("1000", "1k"), ("1500", "1500"), ("2000000", "2M"), ("1000k", "1M"), ("0Gi", "0")),
        *(("512Gi", "512Gi"), ("1024Gi", "1Ti"), ("1536Gi", "1536Gi"), ("2048Mi", "2Gi"), ("1000Gi", "1000Gi")),
        *(("010", "10"), ("1024E", "1024E"), ("1024Ei", "1024Ei")),
    ],
)
def test_an_amount_has_the_form_of_the_api_server(stated: str, kept: str) -> None:
    assert write_quantity(stated) == kept


@pytest.mark.parametrize("wrong", ["", "1.5", "-1", "1 Gi", "1gi", "Gi", "1e3"])
def test_other_amounts_are_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="is not a whole amount"):
        write_quantity(wrong)
