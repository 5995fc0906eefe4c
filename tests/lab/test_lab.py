"""A lab without engines: one that cannot start, and the wait for its policies."""

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpu_blueprint.errors import LabError
from lab.engines import ENGINES, Bundle
from lab.lab import Lab
from lab.parts import list_parts
from lab.policies import KINDS

from ..support.fake_objects import FakeObjects
from ..support.lab_scenes import scene


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this test alone."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("GPU_BLUEPRINT_LAB", str(tmp_path))
    return tmp_path / "temporary"


def test_missing_engines_name_the_remedy_before_anything_starts(temporary: Path) -> None:
    with pytest.raises(LabError, match=r"the lab has no etcd \(.*\); run: make lab"), Lab(scene()):
        pass
    assert [*temporary.iterdir()] == []


def test_missing_definitions_name_the_remedy_too(tmp_path: Path) -> None:
    for folder in ("bin", "stamps"):
        (tmp_path / folder).mkdir()
    for engine in ENGINES.values():
        (tmp_path / "bin" / engine.name).touch()
        (tmp_path / "stamps" / engine.name).write_text(engine.stamp)
    with pytest.raises(LabError, match=r"the lab has no crds \(.*\); run: make lab"), Lab(scene()):
        pass


def put_in_place(folder: Path, bundle: Bundle) -> None:
    """Make an empty part in the place of each built part of a bundle."""
    for part in list_parts(bundle):
        for file in (part.built, folder / "stamps" / part.built.name):
            file.parent.mkdir(exist_ok=True)
            file.write_text(part.stamp)


def test_a_lab_that_scales_needs_the_engines_of_scaling_and_a_prometheus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(tmp_path, "rehearse")
    with pytest.raises(LabError, match=r"the lab has no keda-operator \(.*\); run: make lab-scaling"), scaling_lab():
        pass
    put_in_place(tmp_path, "scaling")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LabError, match="run: apt-get install prometheus"), scaling_lab():
        pass


def scaling_lab() -> Lab:
    return Lab(scene(), scales=True)


@pytest.mark.parametrize("kind", [*KINDS, "NodePool"])
def test_the_lab_waits_for_policies_only_where_its_scene_has_any(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[Any] = []
    monkeypatch.setattr("lab.lab.wait_until_enforced", lambda kube, _: waits.append(kube))
    lab = Lab(scene(manifests=({"apiVersion": "v1", "kind": kind, "metadata": {"name": "main"}},)))
    lab.plane = cast(Any, SimpleNamespace(client=FakeObjects()))
    lab.workspace = cast(Any, SimpleNamespace(refuse_dead_engines=lambda: None))
    lab.wait_until_enforced()
    assert waits == [lab.kube] * (kind in KINDS)
