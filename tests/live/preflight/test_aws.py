"""Preflight without an answer: not allowed, not signed, too much, too slow, not there. Nothing of it passes for fine."""

import json
import sys
from pathlib import Path
from typing import Any

import boto3
import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.live.preflight import Status, exit_code, questions, run
from gpu_blueprint.live.preflight import aws as live
from gpu_blueprint.live.preflight.aws import Patience

from ...support.aws_answers import account, ask, only
from ...support.aws_endpoint import Answer, Answering, Endpoint, as_json, ec2_error, json_error
from ...support.plans import shipped_config

WHO = "User: arn:aws:iam::333344445555:user/tester is not authorized to perform: "
BECAUSE = " because no identity-based policy allows the action"
HASTY = Patience(connect_seconds=1, read_seconds=0.2, attempts=2)

DENIED: list[tuple[str, str, str, Answer]] = [
    (
        "subnets",
        "DescribeSubnets",
        "ec2:DescribeSubnets",
        ec2_error("UnauthorizedOperation", f"You are not authorized. {WHO}ec2:DescribeSubnets{BECAUSE}", 403),
    ),
    (
        "reservations",
        "DescribeCapacityReservations",
        "ec2:DescribeCapacityReservations",
        ec2_error("UnauthorizedOperation", "You are not authorized to perform this operation.", 403),
    ),
    (
        "node images",
        "GetParameters",
        "ssm:GetParameters",
        json_error("AccessDeniedException", f"{WHO}ssm:GetParameters on resource: arn:aws:ssm:…{BECAUSE}"),
    ),
    (
        "quotas",
        "GetServiceQuota",
        "servicequotas:GetServiceQuota",
        json_error("AccessDeniedException", f"{WHO}servicequotas:GetServiceQuota{BECAUSE}"),
    ),
    ("cluster", "DescribeCluster", "eks:DescribeCluster", json_error("AccessDeniedException", "no", 403)),
]
BUSY: list[tuple[str, str, Answer]] = [
    ("subnets", "DescribeSubnets", ec2_error("RequestLimitExceeded", "Request limit exceeded.", 503)),
    ("node images", "GetParameters", json_error("ThrottlingException", "Rate exceeded")),
    ("quotas", "GetServiceQuota", json_error("TooManyRequestsException", "Rate exceeded", 429)),
]
STALE: list[tuple[str, str, Answer]] = [
    ("subnets", "DescribeSubnets", ec2_error("RequestExpired", "Request has expired.")),
    ("subnets", "DescribeSubnets", ec2_error("AuthFailure", "AWS was not able to validate the credentials", 401)),
    ("node images", "GetParameters", json_error("ExpiredTokenException", "The security token is expired")),
    ("node images", "GetParameters", json_error("UnrecognizedClientException", "The security token is invalid")),
]


@pytest.mark.parametrize(("check", "operation", "missing", "answer"), DENIED, ids=[row[0] for row in DENIED])
def test_what_is_denied_names_the_missing_permission(
    aws: Endpoint, check: str, operation: str, missing: str, answer: Answer
) -> None:
    aws.answers[operation] = answer
    found = ask(shipped_config("prod"), check)
    assert {one.status for one in found} == {Status.DENIED}
    assert {one.message for one in found} == {f"{missing} is missing"}
    assert f"grant {missing};" in found[0].remedy
    assert exit_code(found) == 1


def test_the_others_are_still_answered_when_one_is_denied(aws: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    aws.answers["DescribeSubnets"] = DENIED[0][3]
    assert main(["preflight", "prod"]) == 1
    out = capsys.readouterr().out
    assert "15 pass, 1 no permission. What was not answered is not taken for fine." in out
    assert "ec2:DescribeSubnets is missing" in out


@pytest.mark.parametrize(("check", "operation", "answer"), BUSY, ids=[row[0] for row in BUSY])
def test_throttling_is_tried_again_with_a_limit_and_then_said(
    aws: Endpoint, check: str, operation: str, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    aws.answers[operation] = answer
    found = ask(shipped_config("prod"), check, HASTY)
    assert {one.status for one in found} == {Status.UNANSWERED}
    assert "throttles" in found[0].message and "2 times in a row" in found[0].message
    assert aws.asked.count(operation) == 2 * len(found)


def test_throttling_that_ends_is_no_trouble(aws: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    well = aws.answers["DescribeSubnets"]
    assert isinstance(well, Answer)
    left = [BUSY[0][2]]
    aws.answers["DescribeSubnets"] = lambda _: left.pop() if left else well
    assert {one.status for one in ask(shipped_config("prod"), "subnets", HASTY)} == {Status.PASS}


def test_an_endpoint_that_keeps_silent_is_given_up(aws: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    aws.answers["DescribeSubnets"] = aws.silent
    found = only(shipped_config("prod"), "subnets", "vpc-", HASTY)
    assert found.status is Status.UNANSWERED
    assert found.message == "ec2 did not answer DescribeSubnets in 2 tries"


@pytest.mark.parametrize(
    "answer", [Answer("<html>Please log in</html>", "text/html"), Answer("not found", "text/plain", 404)]
)
def test_what_is_not_aws_is_said(aws: Endpoint, answer: Answering) -> None:
    aws.answers["DescribeSubnets"] = answer
    found = ask(shipped_config("prod"), "subnets")
    assert Status.PASS not in {one.status for one in found}
    assert exit_code(found) == 1


def test_a_page_of_a_proxy_is_no_json(aws: Endpoint) -> None:
    aws.answers["GetParameters"] = Answer("<html>Please log in</html>", "text/html")
    found = ask(shipped_config("prod"), "node images")
    assert {one.status for one in found} == {Status.UNANSWERED}


def test_an_endpoint_that_is_not_there_is_said_for_every_check(aws: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    stack = shipped_config("prod")
    found = run(stack, live.AwsAccount(boto3.Session(), stack.region, HASTY))
    assert len(found) == len(questions(stack))
    assert {one.status for one in found} == {Status.UNANSWERED}
    assert all("cannot be reached" in one.message for one in found)


@pytest.mark.parametrize(("check", "operation", "answer"), STALE, ids=[f"{row[0]} {n}" for n, row in enumerate(STALE)])
def test_expired_or_wrong_credentials_end_with_2(aws: Endpoint, check: str, operation: str, answer: Answer) -> None:
    aws.answers[operation] = answer
    found = ask(shipped_config("prod"), check)
    assert {one.status for one in found} == {Status.LOCKED_OUT}
    assert "aws sso login" in found[0].remedy
    assert exit_code(found) == 2


def test_without_credentials_nothing_is_asked(
    aws: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert main(["preflight", "prod"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("no AWS credentials: log in") and error.count("\n") == 1
    assert aws.asked == []


def test_half_credentials_end_with_2(
    aws: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert main(["preflight", "prod"]) == 2
    assert "no AWS credentials: Partial credentials" in capsys.readouterr().err


def test_an_unknown_profile_names_the_near_miss(
    aws: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").write_text("[profile production]\nregion = us-east-1\n")
    assert main(["preflight", "prod", "--profile", "produktion"]) == 2
    assert capsys.readouterr().err == "there is no AWS profile 'produktion' (did you mean production?)\n"


def test_an_unknown_profile_of_the_environment_is_named(
    aws: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    assert main(["preflight", "prod"]) == 2
    assert "there is no AWS profile 'nobody'" in capsys.readouterr().err


def test_a_configuration_that_cannot_be_read_ends_with_2(
    aws: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config").write_text("[profile\nregion")
    assert main(["preflight", "prod"]) == 2
    assert "the AWS configuration cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["boto3", "botocore"])
def test_without_boto3_it_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "gpu_blueprint.live.preflight.aws")
    for loaded in [name for name in sys.modules if name.split(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, missing, None)
    assert main(["preflight", "prod"]) == 2
    assert "python -m pip install -r requirements-live.txt" in capsys.readouterr().err


def test_the_policy_needs_no_boto3_and_no_stack(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    assert main(["preflight", "--policy"]) == 0
    assert json.loads(capsys.readouterr().out)["Version"] == "2012-10-17"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["preflight"], "name the STACK"),
        (["preflight", "prd"], "did you mean prod?"),
        (["preflight", "stacks/Pulumi.prod.yaml"], "is a file, the stack is called prod"),
        (["preflight", "prd", "--policy"], "did you mean prod?"),
    ],
)
def test_bad_usage_ends_with_2_in_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


@pytest.mark.parametrize("body", [{}, {"Quota": {}}, {"Quota": {"Value": None}}])
def test_an_answer_without_a_value_is_no_pass(aws: Endpoint, body: Any) -> None:
    aws.answers["GetServiceQuota"] = as_json(body)
    assert {one.status for one in ask(shipped_config("prod"), "quotas")} == {Status.UNANSWERED}


def test_the_clients_try_often_enough_but_not_for_ever(aws: Endpoint) -> None:
    config = account()._client("ec2").meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 10)
    assert config.retries == {"mode": "standard", "total_max_attempts": 4}
