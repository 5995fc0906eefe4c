"""Stamps: a program that does not fit lab/ is never used."""

import re
from pathlib import Path

import pytest

from gpu_blueprint.errors import LabError
from lab.built import FOLDER_VARIABLE, find_built_folder, is_fit, put_in_place, refuse_unfit

from ..support.plans import ROOT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for built engines, with its folder for fresh results."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "bin").mkdir()
    return tmp_path


def make_fresh(folder: Path, text: str) -> Path:
    fresh = folder / "tmp" / "etcd"
    fresh.write_text(text)
    return fresh


def test_the_engines_stand_beside_lab_or_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert find_built_folder() == ROOT / ".lab"
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert find_built_folder() == tmp_path


def test_a_program_fits_with_its_own_stamp_only(folder: Path) -> None:
    program = folder / "bin" / "etcd"
    assert not is_fit(program, "one")
    put_in_place(make_fresh(folder, "etcd"), program, "one")
    assert is_fit(program, "one")
    assert not is_fit(program, "two")
    refuse_unfit(program, "one", "make lab")


def test_a_missing_program_is_refused_with_its_place_and_the_remedy(folder: Path) -> None:
    program = folder / "bin" / "etcd"
    with pytest.raises(LabError, match=re.escape(f"the lab has no etcd ({program}); run: make lab")):
        refuse_unfit(program, "one", "make lab")


def test_a_program_without_a_stamp_is_refused(folder: Path) -> None:
    program = folder / "bin" / "etcd"
    program.write_text("copied by hand")
    with pytest.raises(LabError, match=r"was not built from what .* holds now; run: make lab"):
        refuse_unfit(program, "one", "make lab")


def test_a_program_that_was_not_moved_into_place_has_no_stamp(folder: Path) -> None:
    program = folder / "bin" / "etcd"
    put_in_place(make_fresh(folder, "old"), program, "one")
    with pytest.raises(FileNotFoundError):
        put_in_place(folder / "tmp" / "missing", program, "one")  # died before the new program came
    assert not is_fit(program, "one")


def test_a_folder_takes_the_place_of_an_older_folder(folder: Path) -> None:
    for name in ("old", "new"):
        fresh = folder / "tmp" / "crds"
        fresh.mkdir()
        (fresh / name).touch()
        put_in_place(fresh, folder / "crds", name)
    assert [file.name for file in (folder / "crds").iterdir()] == ["new"]
    assert is_fit(folder / "crds", "new")
