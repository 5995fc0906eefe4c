"""All rules run: the lists of the package contain every rule of every module of checks."""

import ast
from collections.abc import Iterator
from itertools import chain
from time import perf_counter
from typing import Any

import pytest

from gpu_blueprint import checks
from gpu_blueprint.checks import find_mismatches, find_problems, find_warnings
from gpu_blueprint.loading import parse

from ..support.builders import network, pool, service, services, stack, tenant
from ..support.plans import ROOT
from .test_reservations import TODAY

FOLDER = ROOT / "gpu_blueprint" / "checks"
LISTED = {check.__name__ for check in chain(checks.MISMATCHES, checks.PROBLEMS, checks.WARNINGS)}


def public_checks() -> Iterator[str]:
    """The functions that take a stack alone and yield problems."""
    for file in sorted(FOLDER.glob("*.py")):
        functions = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)]
        for function in functions:
            takes_stack = [argument.arg for argument in function.args.args] == ["stack"]
            if takes_stack and function.name.startswith(("refuse_", "warn_")):
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


def seconds(count: int) -> float:
    """Seconds that all checks of a wide stack take, without the costs, which belong to another room."""
    config = parse(wide_stack(count), "us-east-1")
    start = perf_counter()
    assert list(find_mismatches(config)) == list(find_problems(config)) == []
    list(find_warnings(config, TODAY))
    return perf_counter() - start


def test_checks_take_time_in_proportion_to_the_stack() -> None:
    """Ten times the pools, tenants and services may take thirty times as long, never a hundred times."""
    seconds(4)
    assert seconds(400) < 30 * max(seconds(40), 0.005)
