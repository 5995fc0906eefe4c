"""A machine on which the build would fail is refused before it starts."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpu_blueprint.errors import LabError
from lab.built import FOLDER_VARIABLE
from lab.go_tool import find_go
from lab.needs import check_needs, estimate_megabytes, estimate_seconds
from lab.parts import list_parts

from ..support.fake_go import FakeGo


def check(fake_go: FakeGo) -> None:
    check_needs(find_go("1.26.6", fake_go.folder / "tmp"), list_parts("rehearse"))


def give_disk(monkeypatch: pytest.MonkeyPatch, megabytes: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=megabytes * 1_000_000))


def test_a_machine_with_room_is_accepted(fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch) -> None:
    give_disk(monkeypatch, estimate_megabytes(list_parts("rehearse")))
    check(fake_go)


def test_a_small_disk_is_refused_with_both_sizes_and_the_ways_out(
    fake_go: FakeGo, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = estimate_megabytes(list_parts("rehearse"))
    give_disk(monkeypatch, needed - 1)
    with pytest.raises(LabError) as refused:
        check(fake_go)
    said = str(refused.value)
    assert f"has {(needed - 1) / 1000:.1f} GB free, and the build fills {needed / 1000:.1f} GB" in said
    assert f"move GOMODCACHE or GOCACHE or {FOLDER_VARIABLE} to another disk" in said


def test_a_folder_that_may_not_be_written_is_named(
    fake_go: FakeGo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "lab"))
    with pytest.raises(LabError, match=rf"cannot write into .*file/lab; let {FOLDER_VARIABLE} name another"):
        check(fake_go)


def test_a_part_costs_time_and_disk_only_while_it_is_missing() -> None:
    rehearse, both = list_parts("rehearse"), list_parts("rehearse", "lifecycle")
    assert 0 < estimate_seconds(rehearse) < estimate_seconds(both)
    assert 0 < estimate_megabytes(rehearse) < estimate_megabytes(both)
