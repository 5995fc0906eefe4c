"""`advise` where several clusters write to one place, such as a workspace of AMP."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, RefreshableCredentials
from botocore.exceptions import UnauthorizedSSOTokenError
from requests import Request

from gpu_blueprint.cli import main
from gpu_blueprint.errors import UsageError
from gpu_blueprint.live.advise.amp import Signed
from gpu_blueprint.live.advise.measure import observe
from gpu_blueprint.live.advise.prometheus import Prometheus, amp_region

from ...support import known_answers
from ...support.promql import series_in
from .test_prometheus_trouble import answering

CLUSTER = known_answers.config().cluster_name
AMP = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-0a1b"
KEY = Credentials("AKIDEXAMPLE", "not-a-secret", "a-token")


def series_of(*names: str) -> str:
    """An answer with a series of each cluster."""
    found = [{"metric": {"pool": "serve", "cluster": name}, "value": [0, "3"]} for name in names]
    return json.dumps({"status": "success", "data": {"result": found}})


@pytest.mark.parametrize(
    ("names", "given", "read"),
    [
        ([CLUSTER, "gpu-b"], None, CLUSTER),
        ([CLUSTER], None, CLUSTER),
        ([CLUSTER, "gpu-b"], "gpu-b", "gpu-b"),
    ],
)
def test_one_of_several_clusters_is_read(names: list[str], given: str | None, read: str) -> None:
    with answering(200, series_of(*names)) as (url, asked):
        observe(Prometheus(url), known_answers.config(), 2, given)
    first, *rest = [request.form["query"][0] for request in asked]
    assert all("cluster" not in matched for _, matched in series_in(first))
    for query in rest:
        assert query.count(f'cluster="{read}"') == len(series_in(query)) > 0


def test_a_cluster_s_own_prometheus_has_no_such_label() -> None:
    with answering(200, series_of("")) as (url, asked):
        observe(Prometheus(url), known_answers.config(), 2)
    for request in asked:
        assert all("cluster" not in matched for _, matched in series_in(request.form["query"][0]))


@pytest.mark.parametrize(
    ("names", "given", "words"),
    [
        (["gpu-b", "gpu-a"], None, f"has the values gpu-a, gpu-b, never {CLUSTER}; name the value of this stack with --cluster"),
        (["gpu-a"], None, f"has the values gpu-a, never {CLUSTER}"),
        (["", "gpu-a"], None, f"has the values (empty), gpu-a, never {CLUSTER}"),
        ([CLUSTER], "gpu-b", f"has the values {CLUSTER}, never gpu-b"),
        ([""], "gpu-b", "no label `cluster`; leave --cluster out"),
        ([], "gpu-b", "no label `cluster`; leave --cluster out"),
    ],
)
def test_other_clusters_are_not_taken_for_this_one(names: list[str], given: str | None, words: str) -> None:
    with answering(200, series_of(*names)) as (url, asked), pytest.raises(UsageError) as caught:
        observe(Prometheus(url), known_answers.config(), 2, given)
    assert words in str(caught.value) and len(asked) == 1


def test_amp_is_asked_with_signed_requests() -> None:
    sent = Request("POST", AMP + "/api/v1/query", data={"query": "up > 1"}, auth=Signed(KEY, "eu-west-1")).prepare()
    said = sent.headers["Authorization"]
    assert "/eu-west-1/aps/aws4_request" in said and sent.headers["X-Amz-Security-Token"] == "a-token"
    # The service works the signature out anew from what it got; one that was made for another body is another.
    got = {name: text for name, text in sent.headers.items() if name in ("Content-Type", "X-Amz-Date")}
    for body, same in ((b"query=up+%3E+1", True), (b"query=up+%3E+2", False)):
        seen = AWSRequest(method="POST", url=sent.url, data=body, headers=got)
        again = SigV4Auth(KEY.get_frozen_credentials(), "aps", "eu-west-1")
        seen.context["timestamp"] = sent.headers["X-Amz-Date"]
        seen.headers["X-Amz-Security-Token"] = "a-token"
        signature = again.signature(again.string_to_sign(seen, again.canonical_request(seen)), seen)
        assert said.endswith(f"Signature={signature}") == same


def test_only_amp_is_told_who_asks() -> None:
    assert (
        amp_region(AMP) == amp_region("https://aps-workspaces-fips.eu-west-1.api.aws/workspaces/ws-0a1b") == "eu-west-1"
    )
    others = ("http://localhost:9090", "https://aps-workspaces.eu-west-1.amazonaws.com.example.com/", "http://[::1", "")
    assert [amp_region(url) for url in others] == [None] * 4


def test_the_command_signs_with_what_the_environment_has(
    stacks: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The workspace's address is led to a server here; without credentials nothing is asked at all."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(stacks))
    with answering(403, "") as (url, asked):
        monkeypatch.setattr("gpu_blueprint.live.advise.prometheus._check_address", lambda *_, **__: url)
        assert main(["advise", "known", "--prometheus", AMP]) == 2
        assert "no AWS credentials: log in" in capsys.readouterr().err and not asked
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
        assert main(["advise", "known", "--prometheus", AMP]) == 1
    assert "grant aps:QueryMetrics" in capsys.readouterr().err
    assert "Credential=AKIDEXAMPLE/" in asked[0].who


def test_credentials_that_cannot_be_fetched_are_told() -> None:
    def expired() -> None:
        raise UnauthorizedSSOTokenError

    late = RefreshableCredentials("a", "b", "c", datetime(2020, 1, 1, tzinfo=UTC), expired, "sso")
    with pytest.raises(UsageError, match=r"no AWS credentials: The SSO session .* aws sso login"):
        Signed(late, "eu-west-1")


def test_the_address_that_the_console_shows_will_do() -> None:
    assert Prometheus(AMP + "/api/v1/query").url == Prometheus(AMP + "/").url == AMP
