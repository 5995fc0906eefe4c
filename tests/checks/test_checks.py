"""All rules run: the lists of the package contain every rule of every module of checks."""

import ast
import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from gpu_blueprint import checks
from gpu_blueprint.checks import find_mismatches, find_problems, find_warnings
from gpu_blueprint.loading import parse

from ..support.builders import network, pool, service, services, stack, tenant
from ..support.plans import ROOT
from .test_reservations import TODAY

FOLDER = ROOT / "gpu_blueprint" / "checks"
LISTED = {check.__name__ for check in chain(checks.MISMATCHES, checks.PROBLEMS, checks.WARNINGS, checks.HINTS)}


def public_checks() -> Iterator[str]:
    """The functions that take a stack alone and yield problems."""
    for file in sorted(FOLDER.glob("*.py")):
        functions = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)]
        for function in functions:
            takes_stack = [argument.arg for argument in function.args.args] == ["stack"]
            if takes_stack and function.name.startswith(("refuse_", "warn_", "suggest_")):
                yield function.name


@pytest.mark.parametrize("name", list(public_checks()))
def test_every_check_runs(name: str) -> None:
    assert name in LISTED


def test_the_search_for_checks_finds_them() -> None:
    assert len(list(public_checks())) > 30


def wide_stack(count: int) -> dict[str, Any]:
    """A stack with as many pools, tenants and services, each tenant with a quota in one pool."""
    names = [f"n{index}" for index in range(count)]
    used = [service(name="chat", tenant=f"team-{name}", pool=name, replicas={"min": 1, "max": 1}) for name in names]
    return stack(
        pools=[pool(name=name) for name in names],
        tenants=[tenant(name=f"team-{name}", gpus={name: 4}) for name in names],
        network=network(cidr="10.40.0.0/16"),
        **services(*used),
    )


def count_calls(size: int) -> int:
    """Count the function calls that all checks of a wide stack make."""
    config = parse(wide_stack(size), "us-east-1")
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        problems = [*find_mismatches(config), *find_problems(config)]
        list(find_warnings(config, TODAY))
    finally:
        sys.setprofile(None)
    assert problems == []
    return calls


def test_the_work_of_the_checks_grows_with_the_stack_and_not_with_its_square() -> None:
    count_calls(4)  # fills the caches of the catalogue
    assert count_calls(80) < 5 * count_calls(20)
