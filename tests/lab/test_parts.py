"""The parts of a build."""

import pytest

from lab import parts
from lab.build import main
from lab.engines import ENGINES
from lab.go_modules import GoModule
from lab.parts import find_oldest_go, list_parts

from ..support.fake_go import FakeGo


def test_a_bundle_lists_its_engines_in_the_order_of_the_table_and_its_objects_last() -> None:
    titles = [part.title.split()[0] for part in list_parts("rehearse")]
    engines = [name for name, engine in ENGINES.items() if engine.bundle == "rehearse"]
    assert titles == [*engines, "custom", "objects", "objects"]


def test_a_part_is_built_once_it_is_in_place(fake_go: FakeGo) -> None:
    (pulumi,) = list_parts("lifecycle")
    assert not pulumi.is_built
    program = pulumi.place / pulumi.path
    program.parent.mkdir(parents=True)
    program.touch()
    assert not pulumi.is_built, "no build has put it there"
    program.unlink()
    main(["lifecycle"])
    assert pulumi.is_built


def test_the_oldest_go_is_the_one_that_the_most_demanding_module_names(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"actionlint": "1.9.0", "pulumi": "1.26.1"}
    monkeypatch.setattr(parts, "read_go_module", lambda folder: GoModule(versions.get(folder, "1.25.9"), {}))
    assert find_oldest_go(list_parts("rehearse", "lifecycle", "workflow")) == "1.26.1"
