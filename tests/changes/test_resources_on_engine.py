"""The prediction from two plans against the preview of Pulumi's engine, resource by resource."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack

import pytest

from gpu_blueprint.changes.resources import compare_resources
from gpu_blueprint.lifecycle.run import Run
from gpu_blueprint.lifecycle.steps import Lifecycle
from gpu_blueprint.plan import PlannedResource, record

from ..support.changes_edits import EDITS, TOGETHER, join
from ..support.edits import edit_file
from ..support.engine_sessions import open_in_memory, run_unguarded
from ..support.scenes_of_changes import build_program

pytestmark = pytest.mark.lab

REPLACED = ("replace", "create-replacement", "delete-replaced")


def list_cases() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a stack with the names of edits that are made together, so that each edit stands in one case."""
    for stack, edits in EDITS.items():
        together = TOGETHER.get(stack, ())
        yield from ((stack, names) for names in together)
        yield from ((stack, (name,)) for name in edits if not any(name in names for names in together))


CASES = [*list_cases()]


class Bench:
    """The engine of one stack at a time; the stack is built when its first edit comes."""

    def __init__(self, opened: ExitStack) -> None:
        self._opened = opened
        self._stack = ""
        self._life: Lifecycle

    def open(self, stack: str) -> Lifecycle:
        if stack != self._stack:
            self._opened.close()
            self._life, self._stack = self._opened.enter_context(open_in_memory(stack, run_unguarded)), stack
            self._life.engine.set_secret("grafanaPassword")  # an edit installs Grafana
            assert self._life.engine.up().error == ""
        return self._life


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with ExitStack() as opened:
        yield Bench(opened)


def read_effects(run: Run, *plans: Sequence[PlannedResource]) -> dict[str, str]:
    """Return URN → the engine's operation; without components, and without resources that stay the same."""
    managed = {resource.urn for plan in plans for resource in plan if resource.custom}
    found = {urn: change for change, urns in run.changes.items() for urn in urns if change not in ("same", *REPLACED)}
    found |= {urn: "replace" for change in REPLACED for urn in run.changes.get(change, ())}
    return {urn: change for urn, change in found.items() if urn in managed}


def list_differences(predicted: Mapping[str, str], actual: Mapping[str, str]) -> list[str]:
    return sorted(
        f"{urn.rsplit('$', 1)[-1]}: {predicted.get(urn, 'same')} predicted, {actual.get(urn, 'same')} in the engine"
        for urn in {*predicted, *actual}
        if predicted.get(urn) != actual.get(urn)
    )


def predict(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> dict[str, str]:
    return {change.urn: change.effect for change in compare_resources(before, after)}


@pytest.mark.parametrize(("stack", "names"), CASES, ids=[f"{stack}: {', '.join(names)}" for stack, names in CASES])
def test_the_prediction_of_edits_equals_the_preview_of_the_engine(
    bench: Bench, stack: str, names: tuple[str, ...]
) -> None:
    life, edits = bench.open(stack), [EDITS[stack][name] for name in names]
    config = edit_file(stack, join(*edits))
    before, after = life.plan, record(stack, config)
    life.engine.configure(config)
    run = life.engine.preview()
    assert run.error == ""
    predicted = predict(before, after)
    assert list_differences(predicted, read_effects(run, before, after)) == []
    if len(edits) > 1:  # no edit hides another
        alone = [predict(before, record(stack, edit_file(stack, edit))) for edit in edits]
        assert sorted(item for found in alone for item in found.items()) == sorted(predicted.items())


SCENES = {
    "queue": "replace",
    "policy": "replace",
    "reader": "update",
    "reader-of-name": "update",
    "template": "update",
    "counter": "update",
    "vpc-new": "create",
    "vpc-old": "delete",
    "subnet": "replace",
    "reader-of-subnet": "update",
    "switched": "update",
    "ignoring-in-part": "update",
    **dict.fromkeys(("chosen", "chosen-attached", "loose", "fixed", "fixed-attached"), "replace"),
    "elsewhere": "replace",
    "moving": "replace",
    "with-its-provider": "replace",
    "address": "replace",
    "mild-map": "update",
    "mild-space": "replace",
    **dict.fromkeys(("gone", "gone-map", "gone-space", "gone-same", "class", "priority", "release"), "replace"),
    **dict.fromkeys(("unclear", "unclear-map", "unclear-space", "unclear-same"), "update"),
}
"""Name of a resource → the engine's operation on it, written by hand."""


def test_every_rule_about_replacing_and_spreading_meets_the_engine() -> None:
    config, is_after = edit_file("dev"), False
    with open_in_memory("dev", program=lambda: build_program(is_after)()) as life:
        assert life.engine.up().error == ""
        is_after = True
        run = life.engine.preview()
        assert run.error == ""
    before, after = (record("dev", config, build_program(is_late)) for is_late in (False, True))
    assert list_differences(predict(before, after), read_effects(run, before, after)) == []
    assert {change.name: change.effect for change in compare_resources(before, after)} == SCENES
