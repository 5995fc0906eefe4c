"""A lab that cannot start, without engines."""

import tempfile
from pathlib import Path

import pytest

from gpu_blueprint.errors import LabError
from lab.engines import ENGINES
from lab.lab import Lab

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
