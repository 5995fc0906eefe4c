"""Fixtures of the tests about tenants."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..support.tenancy_lab import TenancyLab


@pytest.fixture(scope="session")
def api_server() -> "Iterator[TenancyLab]":
    """One API server for all files; each file loads the stack that it asks about."""
    from ..support.tenancy_lab import open_tenancy_lab

    with open_tenancy_lab() as lab:
        yield lab
