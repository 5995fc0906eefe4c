"""The built engines say the versions that the go.mod files name."""

import subprocess

import pytest

from lab.engines import ENGINES, find_engine

pytestmark = pytest.mark.lab

QUESTIONS = {"kubectl": ["version", "--client"], "pulumi": ["version"]}
SILENT = "karpenter"
"""This program starts instead of naming its version."""


@pytest.mark.parametrize("name", [name for name in ENGINES if name != SILENT])
def test_an_engine_says_its_version(name: str) -> None:
    asked = [str(find_engine(name)), *QUESTIONS.get(name, ["--version"])]
    said = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert ENGINES[name].version in said.stdout


def test_karpenter_holds_the_module_of_its_version() -> None:
    version = ENGINES[SILENT].version
    linked = f"mod\tgithub.com/aws/karpenter-provider-aws\tv{version}\t"  # as `go version -m` shows it
    is_linked = linked.encode() in find_engine(SILENT).read_bytes()
    assert is_linked
