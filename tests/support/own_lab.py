"""Only tests with the marker ``lab`` see the built engines of this machine. No test writes into the user's cache."""

import os
from pathlib import Path

import pytest

from lab.built import FOLDER_VARIABLE

NO_FOLDER = str(Path(__file__) / "lab")
"""A folder that nobody can make, because its parent is a file. A test that builds names another."""
_NAMED = os.environ.get(FOLDER_VARIABLE)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give each test its folder of engines, also in the programs that it starts."""
    if item.get_closest_marker("lab") is None:
        os.environ[FOLDER_VARIABLE] = NO_FOLDER
    elif _NAMED is None:
        os.environ.pop(FOLDER_VARIABLE, None)
    else:
        os.environ[FOLDER_VARIABLE] = _NAMED
