"""The types that mypy knows: it reads only those packages of the two large SDKs that pyproject.toml lists."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pulumi_aws
import pulumi_kubernetes

from .support.plans import ROOT

FOLDERS = ("gpu_blueprint", "components", "policies", "lab", "tools")
ROOTS = {sdk.__name__: Path(sdk.__path__[0]) for sdk in (pulumi_aws, pulumi_kubernetes)}
_SIBLING = re.compile(r"^from \.{2,3} import (\w+)", re.MULTILINE)


def list_read() -> set[str]:
    """List the packages that mypy reads, such as ``pulumi_aws.ec2``."""
    overrides = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    (read,) = (entry["module"] for entry in overrides if entry.get("follow_imports") == "normal")
    return {module.removesuffix(".*") for module in read}


def find_used(tree: ast.Module) -> Iterator[str]:
    """Find the packages of the SDKs that a file names, by the name that its imports give the SDK."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {entry.asname or entry.name: entry.name for entry in node.names if entry.name in ROOTS}
            yield from (entry.name for entry in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from [node.module or "", *(f"{node.module}.{entry.name}" for entry in node.names)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            yield f"{names[node.value.id]}.{node.attr}"


def find_package(name: str) -> str | None:
    """Find the package of an SDK that holds a name, such as ``pulumi_aws.ec2`` of ``pulumi_aws.ec2.Vpc``."""
    sdk, _, rest = name.partition(".")
    package = rest.partition(".")[0]
    return f"{sdk}.{package}" if sdk in ROOTS and package and (ROOTS[sdk] / package).is_dir() else None


def test_mypy_reads_each_package_of_the_sdks_that_the_product_uses() -> None:
    files = [ROOT / "__main__.py", *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))]
    used = {name for file in files for name in find_used(ast.parse(file.read_text()))}
    packages = {package for name in used if (package := find_package(name))}
    assert "pulumi_aws.ec2" in packages
    assert packages - list_read() == set(), "an unlisted package has no types: list it in pyproject.toml"


def test_mypy_reads_what_the_packages_name_of_each_other() -> None:
    read = list_read()
    named = {
        f"{package.partition('.')[0]}.{sibling}"
        for package in read
        for file in ROOTS[package.partition(".")[0]].joinpath(*package.split(".")[1:]).rglob("*.py")
        if package not in ROOTS
        for sibling in _SIBLING.findall(file.read_text())
    }
    assert "pulumi_kubernetes.meta" in named
    assert named - read == set(), "an unlisted package has no types: list it in pyproject.toml"
