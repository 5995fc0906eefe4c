"""docs/notebooks.md: `check` accepts its stack file, and its notebook asks for what the pool has."""

import re
from pathlib import Path

import pytest
import yaml

from gpu_blueprint.cli import main
from gpu_blueprint.files.loading import parse
from gpu_blueprint.keys import REGION_KEY, STACK_KEY
from gpu_blueprint.sharing import POOL_KEY

from ..support.plans import ROOT, shipped_file

STACK, NOTEBOOK, VALUES = (
    yaml.safe_load(block)
    for block in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "notebooks.md").read_text(), re.DOTALL)
)
FILE = shipped_file("research")
MERGED = {
    **{name: value for name, value in FILE[STACK_KEY].items() if name != "queueing"},
    **STACK,
    "pools": [*STACK["pools"], *(pool for pool in FILE[STACK_KEY]["pools"] if pool["purpose"] == "cpu")],
}
"""The shipped stack research with the parts of the page, and its pool for pods without GPUs."""


def test_check_accepts_the_stack_file_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stacks").mkdir()
    text = yaml.safe_dump({"config": {**FILE, STACK_KEY: MERGED}})
    (tmp_path / "stacks" / "Pulumi.research.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(["check", "research"]) == 0, capsys.readouterr().out


def test_the_notebook_and_the_hub_ask_for_a_slice_of_the_pool_and_mount_the_homes() -> None:
    config = parse(MERGED, FILE[REGION_KEY])
    (pool,) = (pool for pool in config.gpu_pools if pool.name == "h100-slices")
    pod, hub = NOTEBOOK["spec"]["template"]["spec"], VALUES["singleuser"]
    (resource,) = pool.profile.per_device
    assert pod["nodeSelector"] == hub["nodeSelector"] == {POOL_KEY: pool.name}
    (container,) = pod["containers"]
    assert container["resources"]["limits"][resource] == hub["extraResource"]["limits"][resource] == "1"
    claims = {pod["volumes"][0]["persistentVolumeClaim"]["claimName"], hub["storage"]["static"]["pvcName"]}
    assert claims == {storage.name for storage in config.storage}
