"""Every condition of every policy rule matters: if it is changed, at least one case fails.

A mutant is one function of policies/ with one condition changed. It runs in copies of the modules' namespaces, so no
module is patched, and all other functions are the rules' own code.
"""

import ast
import copy
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeGuard

import pytest

from policies import RULES, Rule

from ..support.plans import ROOT
from .cases import CASES
from .cases.stacks import find_complaint

FRAME = {"__init__", "__main__", "pack", "resources", "rule", "values", "waivers"}
"""Modules that run the rules and hold none."""
MODULES: tuple[ModuleType, ...] = tuple(
    import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    for file in sorted((ROOT / "policies").rglob("*.py"))
    if file.stem not in FRAME
)
"""Every module whose functions rules call."""
BROKEN = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""Errors that a mutant may raise; they fail a test as well."""
FLIPPED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.Lt: (ast.GtE, ast.LtE),
    ast.LtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.LtE, ast.GtE),
    ast.GtE: (ast.Lt, ast.Gt),
}
EQUIVALENT = {
    (
        "iam._refuse_unlimited_pass_role: "
        "targets == [] and 'NotResource' in statement and _find_allowed(statement, 'iam:PassRole') → "
        "'NotResource' in statement and _find_allowed(statement, 'iam:PassRole')"
    ): "IAM refuses Resource beside NotResource",
    (
        "node_classes._refuse_moving_ami: "
        "alias and (version == 'latest' or (known and (not known.is_release(version)))) → "
        "version == 'latest' or (known and (not known.is_release(version)))"
    ): "an empty alias has neither a version nor a known family",
    (
        "tags.list_missing_tags: resource.type.startswith('aws:') and resource.kind in TAGGED → "
        "resource.type.startswith('aws:')"
    ): "judge passes only these kinds; remediation passes all kinds, see test_pack.py",
}
"""Mutants that behave like the rule in every case → the reason."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Mutant:
    """A function with one condition changed."""

    function: FunctionType
    change: str
    tree: ast.Module

    def __str__(self) -> str:
        return f"{self.function.__module__.removeprefix('policies.')}.{self.function.__name__}: {self.change}"


def mutants(function: FunctionType) -> Iterator[Mutant]:
    """Yield every mutant of a function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    tests = set(_list_conditions(tree))
    for place, node in enumerate(ast.walk(tree)):
        for changed in _list_changes(node, plain=node in tests):
            mutated = copy.deepcopy(tree)
            _Put(list(ast.walk(mutated))[place], changed).visit(mutated)
            change = f"{ast.unparse(node)} → {ast.unparse(changed)}"
            yield Mutant(function=function, change=change, tree=_Bounded().visit(mutated))


class _Bounded(ast.NodeTransformer):
    """Limits the rounds of loops, because a mutant may never end a loop."""

    def visit_While(self, node: ast.While) -> ast.While:
        node.body.insert(0, ast.parse("_rounds.pop()").body[0])
        return node


class _Put(ast.NodeTransformer):
    """Replaces one node by another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _list_conditions(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


def _list_changes(node: ast.AST, *, plain: bool) -> Iterator[ast.expr]:
    """Yield the ways to change a node; ``plain`` marks a whole condition, which can be negated."""
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                for other in FLIPPED[type(operator)]:
                    operators = [*node.ops[:index], other(), *node.ops[index + 1 :]]
                    yield ast.Compare(node.left, operators, node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
            for index in range(len(node.values)):
                rest = [*node.values[:index], *node.values[index + 1 :]]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Call(func=ast.Name(id="any" | "all" as name)):
            yield ast.Call(ast.Name("all" if name == "any" else "any", ast.Load()), node.args, node.keywords)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.expr() if plain:
            yield ast.UnaryOp(ast.Not(), node)


@cache
def find_called(function: FunctionType) -> frozenset[FunctionType]:
    """Return a function and all functions of MODULES that it calls, directly or through others."""
    found, todo = {function}, [function]
    while todo:
        caller = todo.pop()
        called = (caller.__globals__.get(name) for name in _list_names(caller.__code__))
        new = {other for other in called if _is_ours(other)} - found
        found |= new
        todo += new
    return frozenset(found)


def _list_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_names(constant)


def _is_ours(value: Any) -> TypeGuard[FunctionType]:
    return inspect.isfunction(value) and value.__module__ in {module.__name__ for module in MODULES}


def rebuild_rules(mutant: Mutant) -> list[Rule]:
    """Return the rules that call a mutated function, built again with the mutant in its place."""
    worlds = {module.__name__: dict(vars(module)) for module in MODULES}
    moved = {
        value: _move(value, worlds[value.__module__])
        for world in worlds.values()
        for value in world.values()
        if _is_ours(value)
    }
    world = worlds[mutant.function.__module__] | {"_rounds": [None] * 10_000}
    exec(compile(ast.fix_missing_locations(mutant.tree), str(mutant), "exec"), world)
    moved[mutant.function] = _move(world[mutant.function.__name__], worlds[mutant.function.__module__])
    for names in worlds.values():
        names |= {"_rounds": world["_rounds"]}
        names |= {name: moved[value] for name, value in names.items() if _is_ours(value)}
    reaching = [rule for rule in RULES if mutant.function in find_called(_read_check(rule))]
    return [replace(rule, check=moved[_read_check(rule)]) for rule in reaching]


def _move(function: FunctionType, namespace: Mapping[str, Any]) -> FunctionType:
    moved = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)  # type: ignore[arg-type]
    moved.__kwdefaults__ = function.__kwdefaults__
    return moved


def _read_check(rule: Rule) -> FunctionType:
    assert isinstance(rule.check, FunctionType)
    return rule.check


def survives(mutant: Mutant) -> bool:
    """Tell whether every case holds for the mutant as well."""
    for rule in rebuild_rules(mutant):
        for case in CASES:
            if case.rule == rule.id:
                try:
                    if find_complaint(case, rule):
                        return False
                except BROKEN:
                    return False
    return True


CHECKED = sorted(
    {function for rule in RULES for function in find_called(_read_check(rule))},
    key=lambda function: (function.__module__, function.__code__.co_firstlineno),
)
"""Every function that a verdict depends on."""


@pytest.mark.parametrize("function", CHECKED, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_no_condition_can_be_changed_without_a_case_that_fails(function: FunctionType) -> None:
    unnoticed = {str(mutant) for mutant in mutants(function) if survives(mutant)}
    prefix = f"{function.__module__.removeprefix('policies.')}.{function.__name__}: "
    assert sorted(unnoticed) == sorted(change for change in EQUIVALENT if change.startswith(prefix))


def test_a_copy_without_a_change_holds_in_every_case() -> None:
    for function in CHECKED:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        assert survives(Mutant(function=function, change="nothing", tree=tree))
