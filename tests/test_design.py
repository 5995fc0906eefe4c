"""The house rules that a program can check: imports run one way, files and functions stay short, names say something."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .support.plans import ROOT

BELOW: dict[str, set[str]] = {
    "errors": set(),
    "model": {"errors"},
    "catalog": {"errors"},
    "sharing": {"errors", "model", "catalog"},
    "config": {"errors", "model", "catalog", "sharing"},
    "cost": {"errors", "catalog", "sharing", "config"},
    "checks": {"errors", "catalog", "sharing", "config", "cost"},
    "loading": {"errors", "model", "catalog", "sharing", "config", "checks"},
}
"""Room → the rooms that it may read; the rooms named here know nothing of any cloud's SDK."""
LOADING_AND_BELOW = {*BELOW}
ALLOWED: dict[str, set[str]] = {
    **BELOW,
    "plan": LOADING_AND_BELOW,
    "monitoring": LOADING_AND_BELOW,
    "summary": {*LOADING_AND_BELOW, "monitoring"},
    "judging": {*LOADING_AND_BELOW, "plan", "policies"},
    "live": {*LOADING_AND_BELOW, "monitoring", "summary"},
    "docs": {*LOADING_AND_BELOW, "monitoring", "summary", "judging", "policies"},
    "components": {*LOADING_AND_BELOW, "monitoring"},
    "policies": {"errors", "catalog", "sharing"},
    "__main__": {"errors", "loading", "components"},
    "gpu_blueprint.__main__": {"cli"},
}
"""``cli`` stands in no entry: it may read everything but components."""
CLOUD = {"pulumi", "pulumi_aws", "pulumi_eks", "pulumi_kubernetes", "boto3", "botocore"}
MEANINGLESS = {"utils", "helpers", "common", "base", "manager", "core"}
FOLDERS = ("gpu_blueprint", "components", "policies", "tests", "tools")
LONGEST_FILE, LONGEST_FUNCTION = 300, 40


def sources(*folders: str) -> list[Path]:
    """Every Python file of the project, or of some of its folders."""
    inside = [file for folder in folders or FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    return inside if folders else [ROOT / "__main__.py", *inside]


def module(file: Path) -> list[str]:
    parts = [*file.relative_to(ROOT).parent.parts, *([file.stem] if file.stem != "__init__" else [])]
    return parts


def imported(file: Path) -> Iterator[str]:
    """The absolute names of everything that a file imports, wherever it does."""
    package = list(file.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def layer(name: str) -> str | None:
    """The layer of a module of ours: ``gpu_blueprint.catalog.gpus`` is of catalog."""
    top, *rest = name.split(".")
    if top == "gpu_blueprint":
        return "gpu_blueprint.__main__" if rest[:1] == ["__main__"] else rest[0] if rest else "errors"
    return top if top in ("components", "policies", "__main__") else None


def layers_read_by(file: Path) -> Iterator[str]:
    own = layer(".".join(module(file)))
    for name in imported(file):
        found = layer(name)
        if found and found != own:
            yield found


LAYERED = [file for file in sources() if layer(".".join(module(file)))]


@pytest.mark.parametrize("file", LAYERED, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_module_reads_only_layers_below_its_own(file: Path) -> None:
    own = layer(".".join(module(file))) or ""
    read = set(layers_read_by(file))
    if own in ALLOWED:
        assert read <= ALLOWED[own]
    else:
        assert not read & {"components", "__main__", *(["cli"] if own != "cli" else [])}


def test_every_layer_was_looked_at() -> None:
    found = {layer(".".join(module(file))) for file in LAYERED}
    assert {*ALLOWED, "cli"} <= found
    assert {"config", "catalog", "errors"} <= {
        one for file in sources("gpu_blueprint/cli") for one in layers_read_by(file)
    }


@pytest.mark.parametrize("name", sorted(BELOW))
def test_what_thinks_about_a_stack_knows_no_cloud(name: str) -> None:
    place = ROOT / "gpu_blueprint" / name
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    read = {found.split(".")[0] for file in files for found in imported(file)}
    assert files and not read & CLOUD


def test_reading_a_config_does_not_load_pulumi() -> None:
    loaded = f"import sys, gpu_blueprint.config; print(sorted({CLOUD!r} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_check_for_loaded_modules_would_see_pulumi() -> None:
    loaded = f"import sys, components.cluster.roles; print(sorted({CLOUD!r} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "'pulumi'" in ran.stdout


def test_no_file_is_long() -> None:
    lengths = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in sources()}
    assert len(lengths) > 50
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def functions(file: Path) -> Iterator[tuple[str, int]]:
    """Name and length of every function, its decorators apart."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{file.relative_to(ROOT)}:{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_function_is_long() -> None:
    lengths = [pair for file in sources() for pair in functions(file)]
    assert len(lengths) > 300
    long = {name for name, length in lengths if length > LONGEST_FUNCTION}
    assert long == set()


def test_no_file_has_a_name_that_says_nothing() -> None:
    named = [*sources(), *(file.parent for file in sources())]
    assert [path for path in named if path != ROOT and path.stem.lower() in MEANINGLESS] == []
