"""`advise` against what is no Prometheus, or is another one, or is not there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.live.advise.measure import observe
from gpu_blueprint.live.advise.prometheus import QUERY_PATH, Prometheus

from ...support import known_answers
from ...support.plans import ROOT


class Request(NamedTuple):
    """What was asked."""

    method: str
    path: str
    who: str
    form: dict[str, list[str]]


@contextmanager
def answering(status: int, body: str, **headers: str) -> Iterator[tuple[str, list[Request]]]:
    """A server that always says the same; yields its address, and what it was asked."""
    asked: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            asked.append(Request(self.command, self.path, self.headers.get("Authorization", ""), parse_qs(sent)))
            self.send_response(status)
            for name, text in {"Content-Length": str(len(body.encode())), **headers}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


EMPTY = '{"status": "success", "data": {"resultType": "vector", "result": []}}'


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (200, "<html>hello</html>", "is no Prometheus: it answered 200 OK"),
        (404, "not found", "is no Prometheus: it answered 404"),
        (200, "[1]", "is no Prometheus"),
        (200, '{"status": "success", "data": {"result": [{"metric": {}}]}}', "no samples"),
        (401, "", "it asks for credentials (401)"),
        (403, "", "it refuses the credentials (403)"),
        (422, '{"status": "error", "error": "query processing would load too many samples"}', "refused a query: query processing would load too many samples; ask for a shorter window with --days"),
        (200, EMPTY, "no series of the platform's rules in the window"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_told(
    status: int, body: str, words: str, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(status, body) as (url, _):
        assert main(["advise", "known", "--prometheus", url]) == 1
    told = capsys.readouterr().err
    assert words in told and (url in told or "no samples" in told)


def test_a_page_to_sign_in_is_not_followed(stacks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(302, "", Location="https://sso.example.com/login?state=secret") as (url, asked):
        assert main(["advise", "known", "--prometheus", url]) == 1
    assert "redirects to https://sso.example.com/login" in capsys.readouterr().err and len(asked) == 1


def test_it_only_asks_and_never_says_who_unless_told_to(stacks: Path) -> None:
    vector = json.dumps({"status": "success", "data": {"result": [{"metric": {"pool": "serve"}, "value": [0, "3"]}]}})
    with answering(200, vector) as (url, asked):
        observe(Prometheus(url), known_answers.config(), 2)
    assert len(asked) > 20
    assert {request[:3] for request in asked} == {("POST", QUERY_PATH, "")}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"PROMETHEUS_TOKEN": "abc"}, "Bearer abc"),
        ({"PROMETHEUS_USERNAME": "a", "PROMETHEUS_PASSWORD": "b"}, "Basic YTpi"),
        ({}, "Bearer from-file"),
    ],
)
def test_who_asks_is_said_by_a_file_or_the_environment(
    environment: dict[str, str], expected: str, stacks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    (stacks / "token").write_text("from-file\n")
    more = [] if environment else ["--token-file", str(stacks / "token")]
    with answering(200, EMPTY) as (url, asked):
        assert main(["advise", "known", "--prometheus", url, *more]) == 1
    assert {request.who for request in asked} == {expected}


def test_nobody_there_says_how_to_get_there(stacks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(200, "") as (url, _):
        pass
    assert main(["advise", "known", "--prometheus", url]) == 1
    told = capsys.readouterr().err
    assert "cannot be reached: " in told and "kubectl port-forward -n monitoring svc/prometheus-operated 9090" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--prometheus", "localhost:9090"], "is not an address with http:// or https://"),
        (["--prometheus", "ftp://localhost"], "is not an address with http:// or https://"),
        (["--prometheus", "http://"], "is not an address"),
        (["--prometheus", "http://localhost:port"], "is not an address"),
        (["--prometheus", "http://a:secret@localhost"], "other users can see a password in an address"),
        (["--prometheus", "http://localhost:9090/graph?g0.expr=up"], "leave out the part after the path"),
        (["--prometheus", "http://localhost:9090", "--cluster", 'a"b'], "is no name"),
        (["--prometheus", "http://localhost:9090", "--cluster", ""], "is no name"),
        (["--prometheus", "http://localhost:9090", "--days", "0"], "no number of days from 1 to 365"),
        (["--prometheus", "http://localhost:9090", "--days", "99999"], "no number of days from 1 to 365"),
        (["--prometheus", "http://localhost:9090", "--token-file", "none"], "--token-file none: cannot be read"),
        (["--prometheus", "http://10.0.0.1", "--token-file", "stacks/token"], "would travel unencrypted"),
        (["--prometheus", "http://localhost", "--token-file", "stacks/empty"], "holds no token"),
        (["--prometheus", "http://localhost", "--token-file", "stacks/two"], "holds no token"),
    ],
)
def test_what_cannot_be_asked_is_refused_before(
    arguments: list[str], words: str, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (stacks / "token").write_text("secret")
    (stacks / "empty").write_text("\n")
    (stacks / "two").write_text("one\ntwo")
    assert main(["advise", "known", *arguments]) == 2
    told = capsys.readouterr().err
    assert words in told and "a:secret" not in told


def test_a_stack_without_monitoring_has_nothing_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert "monitoring:" not in (ROOT / "stacks" / "Pulumi.dev.yaml").read_text()
    assert main(["advise", "dev", "--prometheus", "http://localhost:1"]) == 2
    assert "the stack has no monitoring" in capsys.readouterr().err


def test_without_requests_it_says_how_to_install_it(
    stacks: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name="requests")

    monkeypatch.setattr("gpu_blueprint.cli.advise.importlib.import_module", missing)
    arguments = type(
        "Arguments",
        (),
        {
            "stack": "known",
            "days": 7,
            "prometheus": "http://localhost:1",
            "token_file": None,
            "out": None,
            "cluster": None,
        },
    )
    from gpu_blueprint.cli import advise as command
    from gpu_blueprint.errors import UsageError

    with pytest.raises(UsageError, match="pip install -r requirements-live"):
        command.run(arguments)  # type: ignore[arg-type]
