"""HTTP requests become calls."""

from typing import Any

import pytest

from lab.aws.request import Request, read_request

AUTHORIZATION = "AWS4-HMAC-SHA256 Credential=lab/20261122/us-east-1/{}/aws4_request, SignedHeaders=host, Signature=0"
FORM = "application/x-www-form-urlencoded; charset=utf-8"


def environ(service: str, **more: Any) -> dict[str, Any]:
    return {"HTTP_AUTHORIZATION": AUTHORIZATION.format(service), "REQUEST_METHOD": "POST", "PATH_INFO": "/", **more}


def test_a_query_has_its_action_and_its_parameters() -> None:
    request = read_request(environ("ec2", CONTENT_TYPE=FORM), b"Action=CreateFleet&Version=2016-11-15&Type=instant")
    expected = Request(service="ec2", action="CreateFleet", params={"Type": "instant"}, speaks_json=False)
    assert request == expected


def test_a_json_service_names_its_action_in_a_header() -> None:
    request = read_request(environ("ssm", HTTP_X_AMZ_TARGET="AmazonSSM.GetParameter"), b'{"Name": "x"}')
    assert (request.action, request.params, request.speaks_json) == ("GetParameter", {"Name": "x"}, True)


def test_a_rest_service_has_its_method_and_path() -> None:
    given = environ("eks", CONTENT_TYPE="application/json", QUERY_STRING="maxResults=1", PATH_INFO="/clusters")
    request = read_request(given, b'{"name": "gpu"}')
    assert (request.action, request.params) == ("POST /clusters", {"maxResults": "1", "name": "gpu"})


@pytest.mark.parametrize("action", ["CreateFleet", "TerminateInstances", "DeleteMessage", "POST /clusters"])
def test_these_calls_change_something(action: str) -> None:
    assert Request(service="ec2", action=action, params={}, speaks_json=False).is_change


@pytest.mark.parametrize("action", ["DescribeInstances", "GetRole", "ReceiveMessage", "GET /clusters/gpu"])
def test_these_calls_only_read(action: str) -> None:
    assert not Request(service="ec2", action=action, params={}, speaks_json=False).is_change


def test_a_dry_run_changes_nothing() -> None:
    assert not Request(service="ec2", action="CreateFleet", params={"DryRun": "true"}, speaks_json=False).is_change
