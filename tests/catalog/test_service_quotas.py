"""The rows of service quotas: one for each instance family and way of buying."""

import pytest

from gpu_blueprint.catalog import list_instances
from gpu_blueprint.catalog.service_quotas import INSTANCE_QUOTAS, UsageClass, find_instance_quota


@pytest.mark.parametrize("purchase", ["spot", "on-demand"])
def test_every_type_of_the_catalogue_counts_against_one_row(purchase: UsageClass) -> None:
    for row in list_instances().values():
        rows = [quota for quota in INSTANCE_QUOTAS if quota.purchase == purchase and row.family in quota.families]
        assert len(rows) == 1, row.instance_type
        assert find_instance_quota(row.family, purchase) is rows[0]


def test_every_type_that_is_sold_in_blocks_has_a_row_of_blocks() -> None:
    sold = {row.family for row in list_instances().values() if "capacity-block" in row.usage_classes}
    known = [family for quota in INSTANCE_QUOTAS if quota.purchase == "capacity-block" for family in quota.families]
    assert sorted(sold) == sorted(known)


def test_codes_are_codes_and_stand_once() -> None:
    codes = [quota.code for quota in INSTANCE_QUOTAS if quota.code]
    assert len(set(codes)) == len(codes)
    assert all(code.startswith("L-") and len(code) == 10 for code in codes)


def test_a_family_without_a_row_gets_no_code() -> None:
    assert find_instance_quota("p9", "spot").code is None
    assert "p9" in find_instance_quota("p9", "spot").name
