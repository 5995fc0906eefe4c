"""Errors of pydantic become problems with a kind, a reason and a hint."""

from typing import Any

import pytest

from gpu_blueprint.errors import Problem, StackError, WrongValueError
from gpu_blueprint.loading import parse
from gpu_blueprint.loading.pydantic_errors import explain_error
from gpu_blueprint.model import Model

from ..support.builders import billing, cluster, monitoring, network, pool, service, services, stack


def refusal(**overrides: Any) -> Problem:
    """The only problem of ``stack(**overrides)``."""
    with pytest.raises(StackError) as caught:
        parse(stack(**overrides), "us-east-1")
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("overrides", "kind", "line"),
    [
        ({"tag": {}}, "unknown-field", "tag: unknown field; did you mean tags?"),
        (
            monitoring(slackWebhook="https://hooks.slack.com/x"),
            "secret-in-stack",
            "monitoring.slackWebhook: a secret does not belong in a file; "
            "take it out, and run `pulumi config set --secret slackWebhook`",
        ),
        ({"network": {}}, "missing-field", "network: mode is required; write mode: new or existing"),
        (
            {"hourlyCeiling": True},
            "wrong-type",
            "hourlyCeiling: got true, not a number; write a number such as 2",
        ),
        (
            {"pools": [pool(maxGpus="8")]},
            "wrong-type",
            "pools.0.maxGpus: got '8', not a whole number; write 8, without quotes",
        ),
        (
            {"network": network(mode="exists")},
            "not-a-choice",
            "network: mode 'exists' is none of 'new', 'existing'; did you mean existing?",
        ),
        (
            {"pools": [pool(purchase="spot")]},
            "wrong-type",
            "pools.0.purchase: got 'spot', not a list; write [spot]",
        ),
        (
            {"pools": [pool(purchase=["ondemand"])]},
            "not-a-choice",
            "pools.0.purchase.0: 'ondemand' is none of 'reserved', 'spot' or 'on-demand'; did you mean on-demand?",
        ),
        (
            {
                "waivers": [
                    {"rule": "spot-diverse", "resource": "x", "reason": "", "owner": "ml", "until": "2027-03-31"}
                ]
            },
            "empty-field",
            "waivers.0.reason: the field is empty; write 10 characters or more",
        ),
        (
            {"cluster": cluster(logs="all")},
            "wrong-type",
            "cluster.logs: got 'all', not a list; write [api, audit, authenticator, controllerManager, scheduler]",
        ),
        ({"cluster": cluster(logs="api")}, "wrong-type", "cluster.logs: got 'api', not a list; write [api]"),
        ({"pools": None}, "empty-field", "pools: the field is empty; write a list"),
        (
            {"autoscaling": "on"},
            "wrong-type",
            "autoscaling: got 'on', not true or false; write true or false",
        ),
        (
            {"owner": True},
            "unquoted-text",
            'owner: True without quotes is true or false in YAML, not text; quote it: "True"',
        ),
        (
            {"tags": {4711: "x"}},
            "unquoted-text",
            'tags.4711: 4711 without quotes is a number in YAML, not text; quote it: "4711"',
        ),
        (
            {"queueing": {"readyTimeout": 1800}},
            "unquoted-text",
            "queueing.readyTimeout: 1800 without quotes is a number in YAML, not text; "
            "write a duration such as 30m, 1h30m or 336h",
        ),
        (
            {"pools": [pool(disruption={"expireAfter": 336})]},
            "unquoted-text",
            "pools.0.disruption.expireAfter: 336 without quotes is a number in YAML, not text; "
            "write a duration such as 336h, or Never",
        ),
        (
            {"pools": [pool(expectedHours=float("inf"))]},
            "out-of-range",
            "pools.0.expectedHours: inf is not a finite number; write a number",
        ),
        (
            billing(emails=["a@example.com"] * 11),
            "too-many",
            "billing.emails: the field has too many entries; write 10 or fewer",
        ),
        (
            services(service(scaleOn=[{"signal": "query", "promql": "x" * 2001, "perReplica": 1}])),
            "too-long",
            "services.0.scaleOn.0.promql: the text has 2001 characters; write 2000 characters or fewer",
        ),
        (
            services(service(scaleOn=[{"signal": "query", "promql": "", "perReplica": 1}])),
            "empty-field",
            "services.0.scaleOn.0.promql: the field is empty; write a value",
        ),
    ],
)
def test_an_error_becomes_a_problem_in_the_words_of_the_file(overrides: dict[str, Any], kind: str, line: str) -> None:
    problem = refusal(**overrides)
    assert (problem.kind, str(problem)) == (kind, line)


def test_a_waiver_without_a_real_reason_is_refused_with_the_length_that_it_needs() -> None:
    waiver = {"rule": "spot-diverse", "resource": "x", "reason": "because", "owner": "ml", "until": "2027-03-31"}
    problem = refusal(waivers=[waiver])
    assert (problem.kind, problem.hint) == ("too-short", "write 10 characters or more")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (WrongValueError("not-a-colour", "it is grey", "paint it"), ("not-a-colour", "it is grey", "paint it")),
        (ValueError("it is grey"), ("wrong-value", "it is grey", "")),
    ],
)
def test_an_error_of_a_validator_keeps_its_kind_reason_and_hint(
    error: ValueError, expected: tuple[str, str, str]
) -> None:
    details: Any = {"type": "value_error", "loc": ("colour",), "msg": "", "input": "grey", "ctx": {"error": error}}
    problem = explain_error(details, Model, {"colour": "grey"}, lambda _path, value: str(value))
    assert (problem.kind, problem.reason, problem.hint) == expected
    assert problem.path == ("colour",)
