"""Tests that share a lab run on one worker, whatever pytest-xdist makes of their groups."""

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from .plans import ROOT
from .processes import PATIENCE_S

CONFTEST = """
import pytest
from tests.support.lab_runs import arrange

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    arrange(items)
"""
SHARING = """
import os, pathlib, pytest

@pytest.fixture(scope="module")
def lab():
    return os.environ["PYTEST_XDIST_WORKER"]

@pytest.mark.parametrize("number", range(6))
def test_a_part(lab, number):
    with open(pathlib.Path(__file__).with_suffix(".workers"), "a") as file:
        file.write(lab + "\\n")
"""


def test_the_tests_of_a_file_that_share_a_fixture_run_on_one_worker(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name in ("one", "two", "three"):
        (tmp_path / f"test_{name}.py").write_text(SHARING)
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", "."]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    workers = defaultdict(list)
    for file in tmp_path.glob("*.workers"):
        workers[file.stem] = file.read_text().split()
    assert {name: (len(found), len({*found})) for name, found in workers.items()} == {
        "test_one": (6, 1),
        "test_two": (6, 1),
        "test_three": (6, 1),
    }
