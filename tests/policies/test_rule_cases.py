"""Each rule on stacks that it must let pass, must refuse, or cannot judge yet."""

from collections.abc import Iterator
from typing import Any

import pytest

from gpu_blueprint.records import replace
from policies import RULES, UNKNOWN, Rule, Stack, Verdict, judge
from policies.facts import FactHolder

from ..support.plans import SHIPPED
from ..support.tiers import DEEP
from .cases import CASES
from .cases.stacks import Case, build_stack, find_complaint, is_named, passes, put, shipped_stack
from .cases.stacks import Path as InPath

BY_ID = {rule.id: rule for rule in RULES}
NEVER_UNDECIDED = {
    "secrets-encrypted": "a key that is not known is a key",
    "no-default-providers": "it reads only types and providers",
    "cluster-inputs-shown": "it asks only whether there are inputs",
    "managed-policy-narrow": "an ARN that is not known is the ARN of a policy that the program makes",
    "values-readable": "it reads only the notes of the other rules",
}
"""Rules that can always decide → the reason."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_gives_the_verdicts_that_its_cases_demand(rule: Rule) -> None:
    complaints = {str(case): find_complaint(case, rule) for case in CASES if case.rule == rule.id}
    assert {case: words for case, words in complaints.items() if words} == {}


@pytest.mark.parametrize("verdict", ["passes", "fails"])
def test_every_rule_has_a_case_that_passes_and_a_case_that_fails(verdict: str) -> None:
    covered = {case.rule for case in CASES if case.verdict == verdict}
    assert [rule.id for rule in RULES if rule.id not in covered] == []


@pytest.mark.parametrize("verdict", ["passes", "fails"])
def test_every_rule_passes_and_fails_on_a_case_made_from_a_shipped_stack(verdict: str) -> None:
    urns = {found.urn for stack in SHIPPED for found in shipped_stack(stack)().resources}
    covered = {case.rule for case in CASES if case.verdict == verdict and _contains_any(case, urns)}
    assert [rule.id for rule in RULES if rule.id not in covered] == []


def _contains_any(case: Case, urns: set[str]) -> bool:
    return any(found.urn in urns for found in build_stack(case).resources)


def test_every_rule_has_a_case_that_cannot_be_judged_yet() -> None:
    covered = {case.rule for case in CASES if case.verdict == "undecided"}
    assert {rule.id for rule in RULES} - covered == set(NEVER_UNDECIDED)


def test_every_case_belongs_to_a_rule_and_has_a_unique_name() -> None:
    names = [str(case) for case in CASES]
    assert sorted(set(names)) == sorted(names)
    assert {case.rule for case in CASES} == set(BY_ID)


def test_a_case_that_demands_the_opposite_is_noticed() -> None:
    failing = [case for case in CASES if case.verdict == "fails"]
    assert len(failing) > len(RULES)
    for case in failing:
        assert find_complaint(passes("the opposite", case.stack, **case.settings), BY_ID[case.rule]), case


def _list_paths(value: Any, above: InPath = ()) -> Iterator[InPath]:
    """Yield the path of every key and item inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*above, key)
        yield from _list_paths(item, (*above, key))


def _replace_each_value(case: Case, value: Any) -> Iterator[tuple[InPath, Stack]]:
    """Replace one value after the other in the resources of a case, and yield its path and the stack."""
    stack = build_stack(case)
    is_small = len(stack.resources) < SMALL_STACK
    for target in stack.resources:
        for path in _list_paths(target.props) if is_small or is_named(target.name, *case.at) else ():
            if path == ("id",):  # nothing can name a resource whose id is not known
                continue
            replaced = replace(target, props=put(target.props, path, value))
            yield path, Stack([replaced if found is target else found for found in stack.resources])


def _judge_with_each_value_replaced(case: Case, value: Any) -> Iterator[tuple[InPath, list[Verdict]]]:
    """Replace one value after the other in the resources of a case, and yield its path and the rule's verdicts."""
    for path, stack in _replace_each_value(case, value):
        yield path, list(judge(BY_ID[case.rule], stack, case.settings))


SMALL_STACK = 10
"""Number of resources. A smaller stack has every resource changed; a larger stack, only the resources of its case."""
DECIDED = [case for case in CASES if case.verdict != "undecided"]


SOMETIMES_UNDECIDED = [rule for rule in RULES if rule.id not in NEVER_UNDECIDED]


def _judge_with_each_value_unknown(case: Case) -> None:
    for path, verdicts in _judge_with_each_value_replaced(case, UNKNOWN):
        if case.verdict == "fails":
            assert verdicts, f"{case}: silent when {path} is not known"
        else:
            assert all(verdict.undecided for verdict in verdicts), f"{case}: false alarm when {path} is not known"


@pytest.mark.parametrize("verdict", ["passes", "fails"])
@pytest.mark.parametrize("rule", SOMETIMES_UNDECIDED, ids=lambda rule: rule.id)
def test_an_unknown_value_of_a_rich_case_neither_silences_a_rule_nor_causes_a_false_alarm(
    rule: Rule, verdict: str
) -> None:
    _judge_with_each_value_unknown(_find_richest_case(rule, verdict))


@pytest.mark.deep
@pytest.mark.parametrize("rule", SOMETIMES_UNDECIDED, ids=lambda rule: rule.id)
def test_an_unknown_value_neither_silences_a_rule_nor_causes_a_false_alarm(rule: Rule) -> None:
    for case in DECIDED:
        if case.rule == rule.id:
            _judge_with_each_value_unknown(case)


OF_ALL_FORMS: tuple[Any, ...] = (UNKNOWN, "odd", [])
"""A value that is not known, one of another form, and one that is empty."""


@pytest.mark.deep
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_gives_the_same_verdicts_if_no_fact_is_remembered(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [case for case in CASES if case.rule == rule.id and len(build_stack(case).resources) < SMALL_STACK]

    def judge_all() -> list[tuple[str, InPath, list[Verdict]]]:
        return [
            (str(case), path, verdicts)
            for case in cases
            for value in OF_ALL_FORMS
            for path, verdicts in _judge_with_each_value_replaced(case, value)
        ]

    remembered = judge_all()
    monkeypatch.setattr(FactHolder, "compute_once", lambda holder, compute, *about: compute(holder, *about))
    assert judge_all() == remembered


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_null_value_ends_no_rule_with_an_error(rule: Rule) -> None:
    case = next(case for case in DECIDED if (case.rule, case.verdict) == (rule.id, "fails"))
    for path, verdicts in _judge_with_each_value_replaced(case, None):
        assert isinstance(verdicts, list), path


ODD: tuple[Any, ...] = ("odd", "", "[", 7, 1.5, True, False, [], ["odd"], [["odd"]], [{}, {}], {}, {"odd": {"odd": 1}})
"""Words, numbers, truth values, lists and blocks, each of which is out of place somewhere."""


def _find_richest_case(rule: Rule, verdict: str) -> Case:
    """Return the case of a small stack with the most values."""
    fitting = [case for case in CASES if (case.rule, case.verdict) == (rule.id, verdict)]
    return max(fitting, key=lambda case: _count_values(build_stack(case)))


def _count_values(stack: Stack) -> int:
    is_small = len(stack.resources) < SMALL_STACK
    return sum(len(list(_list_paths(found.props))) for found in stack.resources) if is_small else 0


def _list_unreadable(rule: Rule, stack: Stack, case: Case) -> list[str]:
    """Return what a rule notes about values that it cannot read; its verdicts do not matter here."""
    list(judge(rule, stack, case.settings))
    return [message for noted in stack.unreadable.values() for message in noted]


@pytest.mark.parametrize("verdict", ["fails", pytest.param("passes", marks=DEEP)])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_value_of_an_odd_form_is_read_or_named_and_surprises_no_rule(rule: Rule, verdict: str) -> None:
    case = _find_richest_case(rule, verdict)
    surprises = {
        f"{'.'.join(map(str, path))} = {odd!r}: {message}"
        for odd in ODD
        for path, stack in _replace_each_value(case, odd)
        for message in _list_unreadable(rule, stack, case)
        if "nobody foresaw" in message
    }
    assert surprises == set()
