from typing import Any

import pytest

from gpu_blueprint.lifecycle.compare import (
    compare_states,
    compare_verdicts,
    compare_with_preview,
    compare_with_state,
)
from gpu_blueprint.lifecycle.run import PolicyMessage, Resource
from gpu_blueprint.plan import UNKNOWN, PlannedResource
from gpu_blueprint.records import replace

from ..support.engine_resources import build_resource

URN = "urn:pulumi:dev::gpu-blueprint::aws:sqs/queue:Queue::jobs"
SUBJECT = "aws:sqs/queue:Queue jobs"


def build_planned(inputs: Any = None, urn: str = URN, **more: Any) -> PlannedResource:
    return PlannedResource(
        urn=urn, type="aws:sqs/queue:Queue", name="jobs", parent="", custom=True, inputs=inputs or {}, **more
    )


def build_made(inputs: Any = None, urn: str = URN, **more: Any) -> dict[str, Resource]:
    return {urn: build_resource(urn, inputs=inputs or {}, **more)}


def test_equal_resources_have_no_difference() -> None:
    inputs = {"name": "jobs", "tags": {"a": ["b"]}}
    for compare in (compare_with_preview, compare_with_state):
        assert compare([build_planned(inputs)], build_made(inputs)) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "difference"),
    [
        ({"name": "a"}, {"name": "b"}, "inputs.name is 'a' in our plan, 'b' in the engine"),
        ({"a": {"b": 1}}, {"a": {}}, "inputs.a.b is 1 in our plan, None in the engine"),
        ({}, {"a": 1}, "inputs.a is None in our plan, 1 in the engine"),
        ({"a": ["x", "y"]}, {"a": ["x", "z"]}, "inputs.a.1 is 'y' in our plan, 'z' in the engine"),
        ({"a": ["x"]}, {"a": ["x", "y"]}, "inputs.a is ['x'] in our plan, ['x', 'y'] in the engine"),
    ],
)
def test_a_property_that_differs_is_named(ours: Any, theirs: Any, difference: str) -> None:
    assert compare_with_state([build_planned(ours)], build_made(theirs)) == [f"{SUBJECT}: {difference}"]
    assert compare_with_preview([build_planned(ours)], build_made(theirs)) == [f"{SUBJECT}: {difference}"]


def test_an_unknown_value_fits_any_value_of_a_state_but_only_an_unknown_of_a_preview() -> None:
    planned = [build_planned({"a": UNKNOWN})]
    assert compare_with_state(planned, build_made({"a": {"b": 1}})) == []
    assert compare_with_state(planned, build_made()) != []
    assert compare_with_preview(planned, build_made({"a": dict(UNKNOWN)})) == []
    assert compare_with_preview(planned, build_made({"a": 1})) != []


def test_an_answer_of_the_cloud_is_unknown_in_a_plan_and_known_in_the_engine() -> None:
    answers = ["https://a.eks"]
    made = build_made({"kubeconfig": '{"server": "https://a.eks"}'})
    planned = [build_planned({"kubeconfig": UNKNOWN})]
    assert compare_with_preview(planned, made, answers) == [] and compare_with_preview(planned, made) != []
    assert compare_with_preview([build_planned({"kubeconfig": "x"})], made, answers) != []
    assert compare_with_preview(planned, build_made({"kubeconfig": "https://b.eks"}), answers) != []


def test_a_hidden_secret_is_a_secret() -> None:
    hidden = build_made({"a": {"$secret": dict(UNKNOWN)}})
    assert compare_with_preview([build_planned({"a": {"$secret": {"b": "c"}}})], hidden) == []
    assert compare_with_preview([build_planned({"a": "open"})], hidden) != []


def test_resources_on_one_side_are_named() -> None:
    other = URN.replace("jobs", "other")
    assert compare_with_state([build_planned()], build_made(urn=other)) == [
        f"{SUBJECT}: only in our plan",
        "aws:sqs/queue:Queue other: only in the engine",
    ]


def test_the_engines_own_provider_is_no_difference() -> None:
    own = {"own": build_resource("own", "pulumi:providers:pulumi")}
    assert compare_with_state([build_planned()], build_made() | own) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ({"provider": "p"}, {}, "provider is 'p'"),
        ({"options": {"protect": True}}, {}, "protect is True"),
        ({"dependencies": ("a",)}, {"dependencies": ("b",)}, "dependencies is {'a'}"),
    ],
)
def test_provider_protection_and_dependencies_count(ours: Any, theirs: Any, words: str) -> None:
    (line,) = compare_with_state([build_planned(**ours)], build_made(**theirs))
    assert words in line


def test_the_events_of_a_preview_have_no_dependencies() -> None:
    assert compare_with_preview([build_planned(dependencies=("a",))], build_made()) == []


def test_what_the_engine_adds_to_a_provider_is_no_difference() -> None:
    planned = PlannedResource(urn=URN, type="pulumi:providers:aws", name="p", parent="", custom=True)
    made = build_resource(URN, "pulumi:providers:aws", inputs={"version": "7.51.1", "__internal": {}})
    assert compare_with_state([planned], {URN: made}) == []


def test_a_refresh_that_changes_a_state_is_seen() -> None:
    before = build_made({"a": 1}) | build_made(urn=URN.replace("jobs", "gone"))
    after = build_made({"a": 2}) | build_made(urn=URN.replace("jobs", "new"))
    assert compare_states(before, after) == [
        "aws:sqs/queue:Queue gone: gone",
        f"{SUBJECT}: inputs.a was 1, and is 2",
        "aws:sqs/queue:Queue new: new",
    ]
    assert compare_states(before, before) == []


OURS = PolicyMessage("rule", URN, "mandatory", "it is open; close it")
THEIRS = PolicyMessage("other", URN, "mandatory", "it is old; renew it")
MILD, REWORDED = replace(OURS, level="advisory"), replace(OURS, message="it is wide open; close it")


def describe(said: PolicyMessage, side: str) -> str:
    return f"policy {said.rule}, {said.level}, {SUBJECT}: {said.message!r}: {side}"


@pytest.mark.parametrize(
    ("ours", "undecided", "theirs", "is_complete", "lines"),
    [
        ([OURS], [], [OURS], True, []),
        ([OURS], [], [], True, [describe(OURS, "only offline")]),
        ([OURS], [], [], False, []),
        ([], [], [THEIRS], False, [describe(THEIRS, "only in the engine")]),
        ([], [("other", URN)], [THEIRS], True, []),
        ([OURS], [], [MILD], True, [describe(OURS, "only offline"), describe(MILD, "only in the engine")]),
        ([OURS], [], [REWORDED], True, [describe(OURS, "only offline"), describe(REWORDED, "only in the engine")]),
        ([OURS], [], [REWORDED], False, [describe(REWORDED, "only in the engine")]),
    ],
)
def test_verdicts_agree_in_rule_place_level_and_words(
    ours: Any, undecided: Any, theirs: Any, is_complete: bool, lines: list[str]
) -> None:
    assert compare_verdicts(ours, undecided, theirs, is_complete) == lines
