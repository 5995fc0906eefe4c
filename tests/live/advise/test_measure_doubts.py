"""`advise` where what was measured cannot be whole: it says so, and proposes nothing of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.cli.text.advise import show
from gpu_blueprint.errors import MetricsError
from gpu_blueprint.live.advise import Proposal, advise
from gpu_blueprint.live.advise.measure import observe, read_answers
from gpu_blueprint.live.advise.prometheus import Prometheus, Sample
from gpu_blueprint.live.advise.queries import Look, questions

from ...support import builders
from .test_prometheus_trouble import EMPTY, answering

DAYS = 7
LOOK = Look(DAYS)
IDLE = {
    "moments": [Sample({}, LOOK.moments)],
    "gpus sum": [Sample({"pool": "main"}, LOOK.moments)],
    "gpus peak": [Sample({"pool": "main"}, 1.0)],
}
NODES: dict[str, str] = {"pool": "main", "instance_type": "g6.4xlarge", "capacity_type": "on-demand"}


def config() -> Any:
    return builders.config(pools=[builders.pool(maxGpus=16)], **builders.monitoring())


def seen(nodes: dict[str, str], warnings: tuple[str, ...] = (), **more: list[Sample]) -> Any:
    ran = {"node moments": [Sample(nodes, LOOK.moments)]}
    answers = {**{name: [] for name in questions(LOOK)}, **IDLE, **ran, **more}
    return read_answers(config(), LOOK, answers, warnings)


def ceiling(found: Any) -> Proposal:
    return next(one for one in advise(config(), found).proposals if one.kind == "ceiling")


def test_a_pool_that_was_seen_whole_is_judged() -> None:
    assert ceiling(seen(NODES)).confidence.level == "high"


@pytest.mark.parametrize(
    ("nodes", "more", "why", "dollars"),
    [
        (NODES, {"gpus sum": [], "gpus peak": []}, "none of them offered a GPU", "$982"),
        ({"pool": "main"}, {}, "the instance type of some of its nodes is not known", "unknown"),
        ({**NODES, "instance_type": "g99.xlarge"}, {}, "it ran on g99.xlarge, which the catalogue does", "unknown"),
    ],
)
def test_what_was_not_seen_is_not_taken_for_zero(
    nodes: dict[str, str], more: dict[str, Any], why: str, dollars: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = seen(nodes, **more)
    told = advise(config(), found)
    assert told.proposals == () and [name for name, text in told.silent if why in text] == ["main"]
    show(config(), found, told, {})
    shown = capsys.readouterr().out
    assert dollars in shown and "$0" not in shown


def test_warnings_of_the_server_are_told_and_lower_confidence(capsys: pytest.CaptureFixture[str]) -> None:
    found = seen(NODES, ("PartialResponse: a store is unavailable",))
    told = advise(config(), found)
    sure = ceiling(found).confidence
    assert sure.level == "medium" and "incomplete" in sure.reason
    show(config(), found, told, {})
    assert "PartialResponse: a store is unavailable" in capsys.readouterr().out


def test_warnings_are_kept_once_each() -> None:
    answer = json.dumps({**json.loads(EMPTY), "warnings": ["one", "two", "one"]})
    with answering(200, answer) as (url, _):
        server = Prometheus(url)
        assert [server.query("up"), server.query("down")] == [[], []]
    assert [*server.warnings] == ["one", "two"]


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({"metric": {"pool": "main"}, "value": [0, "-1"]}, "-1 for"),
        ({"metric": {"pool": "main"}, "value": [0, "1e300"]}, "1e+300 for"),
        ({"metric": {"pool": {"a": "b"}}, "value": [0, "1"]}, "no samples"),
    ],
)
def test_numbers_that_nothing_can_have_are_refused(sample: dict[str, Any], words: str) -> None:
    answer = json.dumps({"status": "success", "data": {"result": [sample]}})
    with answering(200, answer) as (url, _), pytest.raises(MetricsError) as caught:
        Prometheus(url).query("up")
    assert words in str(caught.value)


def test_a_window_of_no_moments_is_no_window() -> None:
    answer = json.dumps({"status": "success", "data": {"result": [{"metric": {"pool": "main"}, "value": [0, "0"]}]}})
    with answering(200, answer) as (url, _), pytest.raises(MetricsError, match="no labels of namespaces"):
        observe(Prometheus(url), config(), DAYS)


@pytest.mark.parametrize(("status", "hint"), [(422, True), (503, True), (400, False)])
def test_only_what_was_too_much_is_asked_for_in_less(status: int, hint: bool) -> None:
    answer = json.dumps({"status": "error", "error": "no"})
    with answering(status, answer) as (url, _), pytest.raises(MetricsError) as caught:
        Prometheus(url).query("up")
    assert ("--days" in str(caught.value)) == hint


def test_what_a_server_says_does_not_move_the_cursor(stacks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.dumps({"status": "error", "error": "\x1b[2Jgone\r"})
    with answering(422, answer) as (url, _):
        assert main(["advise", "known", "--prometheus", url]) == 1
    told = capsys.readouterr().err
    assert "�[2Jgone�" in told and "\x1b" not in told
