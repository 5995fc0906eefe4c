"""The policy rules, each on stacks that it must let pass, must refuse, and cannot judge yet."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes
import pytest

from gpu_blueprint.errors import UsageError
from gpu_blueprint.judging.verdicts import FOLDER, Finding, findings, levels_file, read_levels
from policies import RULES, UNKNOWN, Resource, Rule, Stack, Verdict, judge
from policies.rule import NotYetKnownError

from ..support.plans import SHIPPED, plan
from .cases import CASES
from .cases.stacks import Case, as_plan, complaint, passes, put, resource, shipped, stack_of
from .cases.stacks import Path as InPath

BY_ID = {rule.id: rule for rule in RULES}
SUBJECTS = {"gpu", "karpenter", "cluster", "network", "iam", "tenancy", "cost", "supply_chain", "tags", "teardown"}
NEVER_UNDECIDED = {
    "secrets-encrypted": "a key that is not known is a key",
    "no-default-providers": "it reads only types and providers",
}
"""Rules that what is known always decides, and why."""


def _marked(case: Case) -> Any:
    marks = [pytest.mark.xfail(strict=True, reason=case.awaits)] if case.awaits else []
    return pytest.param(case, id=str(case), marks=marks)


@pytest.mark.parametrize("case", [_marked(case) for case in CASES])
def test_a_rule_says_what_its_case_demands(case: Case) -> None:
    assert complaint(case, BY_ID[case.rule]) == ""


def test_there_are_at_least_thirty_rules_in_files_by_subject() -> None:
    assert len(RULES) >= 30
    assert {rule.subject for rule in RULES} == SUBJECTS


@pytest.mark.parametrize("verdict", ["passes", "fails"])
def test_no_rule_lacks_a_case_that_passes_or_one_that_fails(verdict: str) -> None:
    having = {case.rule for case in CASES if case.verdict == verdict and not case.awaits}
    assert [rule.id for rule in RULES if rule.id not in having] == []


@pytest.mark.parametrize("verdict", ["passes", "fails"])
def test_no_rule_lacks_such_a_case_made_of_a_shipped_stack(verdict: str) -> None:
    urns = {one.urn for stack in SHIPPED for one in shipped(stack)().resources}
    having = {case.rule for case in CASES if case.verdict == verdict and not case.awaits and _holds(case, urns)}
    assert [rule.id for rule in RULES if rule.id not in having] == []


def _holds(case: Case, urns: set[str]) -> bool:
    return any(one.urn in urns for one in stack_of(case).resources)


def test_no_rule_lacks_a_case_that_cannot_be_judged_yet() -> None:
    having = {case.rule for case in CASES if case.verdict == "undecided"}
    assert {rule.id for rule in RULES} - having == set(NEVER_UNDECIDED)


def test_each_case_is_of_a_rule_and_has_a_name_of_its_own() -> None:
    names = [str(case) for case in CASES]
    assert sorted(set(names)) == sorted(names)
    assert {case.rule for case in CASES} == set(BY_ID)


def test_a_case_that_demands_the_opposite_is_noticed() -> None:
    failing = [case for case in CASES if case.verdict == "fails" and not case.awaits]
    assert len(failing) > len(RULES)
    for case in failing:
        assert complaint(passes("the opposite", case.stack, **case.settings), BY_ID[case.rule]), case


def _paths(value: Any, above: InPath = ()) -> Iterator[InPath]:
    """The paths to everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*above, key)
        yield from _paths(item, (*above, key))


def _with_each_value(case: Case, value: Any) -> Iterator[tuple[InPath, list[Verdict]]]:
    """What the rule says when each value of each resource that the case is about is another one."""
    stack = stack_of(case)
    about = stack.resources if len(stack.resources) < FEW else [one for one in stack.resources if one.name in case.at]
    for one in about:
        for path in _paths(one.props):
            other = replace(one, props=put(one.props, path, value))
            changed = Stack([other if found is one else found for found in stack.resources])
            yield path, list(judge(BY_ID[case.rule], changed, case.settings))


FEW = 10
SURE = [case for case in CASES if not case.awaits and case.verdict != "undecided"]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.id not in NEVER_UNDECIDED], ids=lambda rule: rule.id)
def test_a_value_that_is_not_known_neither_silences_a_rule_nor_makes_it_cry(rule: Rule) -> None:
    for case in SURE:
        for path, verdicts in _with_each_value(case, UNKNOWN) if case.rule == rule.id else ():
            if case.verdict == "fails":
                assert verdicts, f"{case}: silent when {path} is not known"
            else:
                assert all(one.undecided for one in verdicts), f"{case}: cries when {path} is not known"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_value_that_is_null_ends_no_rule_in_an_error(rule: Rule) -> None:
    case = next(one for one in SURE if (one.rule, one.verdict) == (rule.id, "fails"))
    for path, verdicts in _with_each_value(case, None):
        assert isinstance(verdicts, list), path


def test_ids_are_unique_and_in_kebab_case() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert [one for one in ids if not re.fullmatch(r"[a-z]+(-[a-z]+)+", one)] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_texts_of_a_rule_read_well_in_their_sentences(rule: Rule) -> None:
    sentences = {
        "Looks at": rule.looks_at,
        "PASS if": rule.passes,
        "FAIL if": rule.fails,
        "Why:": rule.why,
        "Fix:": rule.fix,
    }
    for before, text in sentences.items():
        assert text.strip() == text != "", before
        assert not text.endswith(".") and "\n" not in text, f"{before} {text}."
        assert not re.match(r"(if|when|because|The|A|It|They|Each) ", text), f"{before} {text}."
    assert rule.passes != rule.fails


SDK = (
    *(aws.ec2, aws.eks, aws.iam, aws.kms, aws.sns, aws.sqs, aws.s3, aws.vpc, aws.cloudwatch, eks),
    *(kubernetes.core.v1, kubernetes.rbac.v1, kubernetes.helm.v3, kubernetes.helm.v4),
)
CUSTOM = {"NodePool", "NodeOverlay", "EC2NodeClass"}
"""Karpenter's own kinds, which no SDK holds."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_kinds_of_a_rule_exist(rule: Rule) -> None:
    assert rule.kinds
    unknown = [kind for kind in rule.kinds if not any(_makes(module, kind) for module in SDK)]
    assert set(unknown) <= {"*", *CUSTOM}


def _makes(module: Any, kind: str) -> bool:
    token = getattr(getattr(module, kind, None), "pulumi_type", f"::{kind}")
    return str(token).rsplit(":", 1)[-1] == kind


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_shipped_stack_passes_at_its_own_levels(stack: str) -> None:
    found = findings(plan(stack), read_levels(FOLDER / f"{stack}.json"))
    assert [one for one in found if one.fails] == []


def test_an_environment_without_levels_gets_the_strictest() -> None:
    assert levels_file("dev") == FOLDER / "dev.json"
    assert levels_file("qa") == FOLDER / "prod.json"
    named = [one for one in read_levels(levels_file("qa")).values() if isinstance(one, str)]
    assert {*named} == {"mandatory"}


def _at_levels(case: Case, folder: Path, **levels: Any) -> list[Finding]:
    (folder / "test.json").write_text(json.dumps({"all": "disabled", **levels}))
    return findings(as_plan(stack_of(case)), read_levels(folder / "test.json"))


SET = [case for case in CASES if case.settings and not case.awaits]


@pytest.mark.parametrize("case", SET, ids=str)
def test_the_settings_of_a_rule_can_be_set_in_a_levels_file(case: Case, tmp_path: Path) -> None:
    found = _at_levels(case, tmp_path, **{case.rule: {"enforcementLevel": "mandatory", **case.settings}})
    assert {one.verdict.rule for one in found} <= {case.rule}
    assert any(one.fails for one in found) == (case.verdict == "fails")


def test_no_setting_goes_untried() -> None:
    tried = {(case.rule, name) for case in SET for name in case.settings}
    assert {(rule.id, name) for rule in RULES for name in rule.settings} - tried == {("required-tags", "values")}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_disabled_rule_is_silent_and_an_advisory_one_stops_nothing(rule: Rule, tmp_path: Path) -> None:
    case = next(one for one in CASES if (one.rule, one.verdict, one.awaits) == (rule.id, "fails", ""))
    assert _at_levels(case, tmp_path, **{rule.id: {"enforcementLevel": "disabled", **case.settings}}) == []
    advised = _at_levels(case, tmp_path, **{rule.id: {"enforcementLevel": "advisory", **case.settings}})
    assert {(one.verdict.rule, one.word, one.fails) for one in advised} == {(rule.id, "advisory", False)}
    (failing, *_) = _at_levels(case, tmp_path, **{rule.id: {"enforcementLevel": "mandatory", **case.settings}})
    assert (failing.word, failing.fails) == ("fails", True)
    assert failing.verdict.message.endswith(f"; {rule.fix}")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"ami-pined": "advisory"}', "there is no rule 'ami-pined' (did you mean ami-pinned"),
        ('{"ami-pinned": "strict"}', "ami-pinned: 'strict' is no level (there are: mandatory, advisory"),
        ('{"all": "off"}', "all: 'off' is no level"),
        ('{"ami-pinned": {"enforcementLevel": "off"}}', "ami-pinned: 'off' is no level"),
        ('{"ami-pinned": ["advisory"]}', "ami-pinned: ['advisory'] is no level"),
        ('{"all": ', "cannot be read"),
        ("\udcff", "cannot be read"),
        ("[]", "must be an object"),
        ('{"disk-large-enough": {"minimumGiB": 50}}', "minimumGib"),
        ('{"disk-large-enough": {"minimumGib": "50"}}', "minimumGib"),
    ],
)  # fmt: skip
def test_a_levels_file_with_mistakes_is_refused(text: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "levels.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UsageError) as refused:
        read_levels(file)
    assert str(file) in str(refused.value) and error in str(refused.value)


def test_a_levels_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_levels(tmp_path / "none.json")


def test_a_setting_without_a_level_keeps_the_level_of_all(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text('{"all": "advisory", "deletion-protected": {}}')
    found = findings(plan("dev"), read_levels(tmp_path / "test.json"))
    assert [(one.verdict.rule, one.level) for one in found] == [("deletion-protected", "advisory")]


def test_a_rule_without_a_level_is_mandatory() -> None:
    assert [one.word for one in findings(plan("dev"), {})] == ["fails"]


def test_what_cannot_be_remediated_fails() -> None:
    assert [one.fails for one in findings(plan("dev"), {"deletion-protected": "remediate"})] == [True]


def test_missing_tags_are_added_where_the_environment_names_a_value() -> None:
    rule = BY_ID["required-tags"]
    assert rule.remediate
    queue = resource(
        "aws:sqs/queue:Queue", "queue", {"name": "a", "tags": {"owner": "us"}}, default_tags={"environment": "x"}
    )
    settings = {**rule.settings, "values": {"owner": "them", "cost-center": "7", "other": "1"}}
    mended = rule.remediate(queue, settings)
    assert mended == {"name": "a", "tags": {"owner": "us", "cost-center": "7"}}
    assert rule.remediate(queue, rule.settings) is None
    node_class = resource("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "class", {"spec": {"role": "a"}})
    assert rule.remediate(node_class, settings) == {
        "spec": {"role": "a", "tags": {"owner": "them", "cost-center": "7"}}
    }
    bare = resource("aws:sqs/queue:Queue", "queue")
    assert rule.remediate(bare, settings) == {"tags": {"owner": "them", "cost-center": "7"}}


def test_a_value_is_read_along_its_path_and_an_unknown_one_says_where_it_stands() -> None:
    one = Resource(
        urn="a::b", type="a:b:C", name="b", props={"x": {"y": 1, "none": None}, "later": UNKNOWN, "list": [1]}
    )
    assert one.kind == "C"
    assert one.get("x", "y") == 1
    assert one.get("x", "none", default=2) == one.get("z", "y", default=2) == one.get("list", "y", default=2) == 2
    assert one.get("x", "z") is None
    for path in (("later",), ("later", "y")):
        with pytest.raises(NotYetKnownError, match=r"^later"):
            one.get(*path)


def test_an_undecided_verdict_names_what_is_not_known() -> None:
    pool = resource("kubernetes:karpenter.sh/v1:NodePool", "pool", {"spec": UNKNOWN})
    (verdict,) = judge(BY_ID["gpu-pool-tainted"], Stack([pool]))
    assert verdict.undecided and verdict.urn == pool.urn
    assert verdict.message == "cannot be judged before the deployment: spec.template.spec.requirements is not known yet"
    (finding,) = findings(as_plan(Stack([pool])), {"all": "disabled", "gpu-pool-tainted": "mandatory"})
    assert (finding.word, finding.fails) == ("undecided", False)
