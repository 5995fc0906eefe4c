"""kubectl's kustomize reads a rendered folder: it prints each manifest as it is, in the order of the plan."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_blueprint.keys import REGION_KEY, STACK_KEY
from lab.engines import find_engine

from ..support.plans import shipped_file
from ..support.processes import PATIENCE_S
from ..support.rendered import render

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    section = shipped_file("prod")
    return render(section[STACK_KEY], section[REGION_KEY])


def kustomize(files: Mapping[str, str], folder: Path) -> "subprocess.CompletedProcess[str]":
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    command = [str(find_engine("kubectl")), "kustomize", str(folder)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def read(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


@pytest.mark.reads("kustomization")
def test_kustomize_changes_no_object_and_keeps_their_order(files: dict[str, str], tmp_path: Path) -> None:
    built = kustomize(files, tmp_path)
    listed = yaml.safe_load(files["kustomization.yaml"])["resources"]
    assert built.stderr == "" and len(listed) > 100
    assert read(built.stdout) == [yaml.load(files[name], Loader=yaml.CSafeLoader) for name in listed]


@pytest.mark.reads("kustomization", refused=True)
def test_kustomize_names_a_file_that_is_missing(files: dict[str, str], tmp_path: Path) -> None:
    (lost, *_) = yaml.safe_load(files["kustomization.yaml"])["resources"]
    built = kustomize({name: text for name, text in files.items() if name != lost}, tmp_path)
    assert built.returncode and lost in built.stderr
