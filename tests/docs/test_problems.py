"""Every kind of problem is documented, and every example has the problem that it shows."""

import ast
from collections.abc import Iterator

import pytest

from gpu_blueprint.docs.problems import ProblemKind, list_problem_kinds
from gpu_blueprint.docs.problems_page import problems_page

from ..support.builders import REGION, stack
from ..support.plans import ROOT

KINDS = list_problem_kinds()
NAMES = {kind.kind for kind in KINDS}
TREES = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted((ROOT / "gpu_blueprint").rglob("*.py"))]


def first_argument(call: ast.Call) -> ast.expr | None:
    """The kind that a call gives, where it is the first argument or ``kind=``."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "kind"]
    return named[0] if named else call.args[0] if call.args else None


def constants() -> dict[str, str]:
    """Name → text of the constants that stand for kinds."""
    found: dict[str, str] = {}
    for node in (node for tree in TREES for node in tree.body if isinstance(node, ast.Assign)):
        targets, values = node.targets[0], node.value
        pairs = (
            zip(targets.elts, values.elts, strict=False)
            if isinstance(targets, ast.Tuple) and isinstance(values, ast.Tuple)
            else [(targets, values)]
        )
        for target, value in pairs:
            if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                found[target.id] = value.value
    return found


def used_kinds() -> Iterator[str]:
    """The kinds of all problems and wrong values that the source makes, and of names that no catalogue has."""
    texts = constants()
    for call in (node for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name, kind = ast.unparse(call.func), first_argument(call)
        if name.endswith(("Problem", "WrongValueError")) and isinstance(kind, ast.Constant):
            yield str(kind.value)
        elif name.endswith(("Problem", "WrongValueError")) and isinstance(kind, ast.Name) and kind.id.isupper():
            yield texts[kind.id]
        elif name == "CatalogError.unknown" and isinstance(kind, ast.Constant):
            yield f"unknown-{str(kind.value).lower().replace(' ', '-')}"


def written_texts() -> set[str]:
    """Every text of the source that could be a kind."""
    nodes = (node for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {node.value for node in nodes if isinstance(node.value, str)}


@pytest.mark.parametrize("kind", sorted(set(used_kinds())))
def test_a_kind_that_the_source_uses_is_documented(kind: str) -> None:
    assert kind in NAMES


def test_a_documented_kind_is_used_by_the_source() -> None:
    assert NAMES - {*used_kinds(), *written_texts()} == set()


def test_a_kind_is_documented_once() -> None:
    assert len(NAMES) == len(KINDS) > 80


def test_the_examples_change_the_stack_of_the_builders() -> None:
    assert ProblemKind("", "", "").make_stack() == {"region": REGION, **stack()}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.needs], ids=lambda kind: kind.kind)
def test_an_example_has_the_problem_that_it_shows(kind: ProblemKind) -> None:
    assert kind.find_problem().severity == kind.severity


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_a_kind_has_one_example_or_says_what_it_needs(kind: ProblemKind) -> None:
    assert bool(kind.example) + bool(kind.file) + bool(kind.needs) == 1
    assert kind.meaning.endswith(".") and kind.remedy.endswith(".")
    assert kind.severity in ("error", "warning", "note")


def test_the_page_shows_each_kind_with_the_line_that_check_prints() -> None:
    page = problems_page()
    assert sorted(line[4:] for line in page.splitlines() if line.startswith("### ")) == sorted(NAMES)
    assert "pools.0.maxGpus: 0 is too low; write 1 or more" in page
