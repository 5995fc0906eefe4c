"""Every rendered object of every good stack, on a real API server with strict validation."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from gpu_blueprint.plan import record
from gpu_blueprint.rendering import list_manifests
from lab.kube import RefusedError
from lab.lab import Lab
from lab.scene import Manifest, identify

from ..support.engine_rehearsals import open_lab
from ..support.plans import STACKS
from ..support.rehearsals import FILES, load_file

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A control plane that knows every kind."""
    with open_lab(STACKS / "Pulumi.dev.yaml") as (opened, _):
        opened.install_crds()
        yield opened


def apply(lab: Lab, manifest: Manifest) -> str:
    """Apply a namespace, or try to apply another object; return the API server's objection.

    Objects of several stacks have the same names, and an applied object would forbid changes to some fields.
    """
    try:
        lab.kube.apply(manifest, dry_run=manifest["kind"] != "Namespace")
    except RefusedError as error:
        return f"{identify(manifest)}: {error.reason}"
    return ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem.removeprefix("Pulumi."))
def test_the_api_server_takes_every_object_of_a_stack(file: Path, lab: Lab) -> None:
    plan = record("test", yaml.safe_load(file.read_text())["config"])
    manifests = [manifest.content for manifest in list_manifests(load_file(file), plan)]
    first = sorted(manifests, key=lambda manifest: manifest["kind"] != "Namespace")
    assert len(first) >= 5
    assert [objection for manifest in first if (objection := apply(lab, manifest))] == []


def test_the_api_server_refuses_a_misspelt_field(lab: Lab) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "a"}, "spec": {"hrad": {}}}
    assert 'unknown field "spec.hrad"' in apply(lab, quota) or ".spec.hrad" in apply(lab, quota)
