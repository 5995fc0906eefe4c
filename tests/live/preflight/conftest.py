"""The command line of preflight reads the stacks of the tests."""

import pytest

from ...support.plans import STACKS


@pytest.fixture(autouse=True)
def in_folder_of_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in the folder that holds the tests' own ``stacks``."""
    monkeypatch.chdir(STACKS.parent)
