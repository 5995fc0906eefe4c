"""A real Prometheus on a loopback port, with series that a test has made up and what our rules record of them."""

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .programs import promtool
from .promql import series_in

_PATIENCE = 30
"""Seconds in which it must answer."""


@contextmanager
def prometheus(
    folder: Path, openmetrics: str, rules: list[dict[str, Any]] | None = None, *, step: int = 60
) -> Iterator[str]:
    """Serve OpenMetrics text and what rule groups record of it, over the text's own time; yields the address.

    What the rules record is worked out by the server every ``step`` seconds, rules that read others' series after
    these; alerts among them are passed over. promtool's own backfill makes a block for each rule and two hours, which
    takes minutes for days.
    """
    data = folder / "data"
    within = span(openmetrics)
    _import(folder, data, openmetrics)
    for level in levels(rules or []):
        with _serving(folder, data) as url:
            lines = [line for rule in level for line in _recorded(url, rule, within, step)]
        _import(folder, data, "\n".join([*sorted(lines, key=_series_and_time), "# EOF\n"]))
    with _serving(folder, data) as url:
        yield url


def span(openmetrics: str) -> tuple[int, int]:
    """First and last second of the samples."""
    seconds = [float(line.rsplit(" ", 1)[1]) for line in openmetrics.splitlines() if line and not line.startswith("#")]
    return int(min(seconds)), int(max(seconds))


def levels(groups: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Recording rules in groups of which each reads only what those before it have recorded."""
    todo = [rule for group in groups for rule in group["rules"] if "record" in rule]
    while todo:
        waiting = {rule["record"] for rule in todo}
        ready = [rule for rule in todo if not waiting & {name for name, _ in series_in(rule["expr"])}]
        assert ready, f"these wait for each other: {sorted(waiting)}"
        yield ready
        todo = [rule for rule in todo if rule not in ready]


def _import(folder: Path, data: Path, openmetrics: str) -> None:
    text = folder / "series.txt"
    text.write_text(openmetrics)
    made = promtool("tsdb", "create-blocks-from", "--max-block-duration=8760h", "openmetrics", text, data)
    assert made.returncode == 0, made.stdout + made.stderr


def _recorded(url: str, rule: dict[str, Any], within: tuple[int, int], step: int) -> Iterator[str]:
    """What a rule would have recorded, as OpenMetrics text."""
    asked = urllib.parse.urlencode({"query": rule["expr"], "start": within[0], "end": within[1], "step": step})
    with urllib.request.urlopen(f"{url}/api/v1/query_range?{asked}", timeout=_PATIENCE) as answer:
        result = json.load(answer)["data"]["result"]
    for series in result:
        labels = {name: text for name, text in series["metric"].items() if name != "__name__"} | rule.get("labels", {})
        inside = ",".join(f'{name}="{text}"' for name, text in sorted(labels.items()))
        yield from (f"{rule['record']}{{{inside}}} {value} {int(moment)}" for moment, value in series["values"])


def _series_and_time(line: str) -> tuple[str, int]:
    series, _, moment = line.rsplit(" ", 2)
    return series, int(moment)


@contextmanager
def _serving(folder: Path, data: Path) -> Iterator[str]:
    program = shutil.which("prometheus")
    assert program, "prometheus is missing beside promtool: apt-get install prometheus"
    config = folder / "prometheus.yml"
    config.write_text("{}")
    listening = free_address()
    options = [f"--config.file={config}", f"--storage.tsdb.path={data}", "--storage.tsdb.retention.time=100y"]
    with running([program, *options, f"--web.listen-address={listening}"], listening, folder / "prometheus.log") as url:
        yield url


@contextmanager
def running(command: list[str], listening: str, log: Path) -> Iterator[str]:
    """Run a server of the Prometheus family until it is no longer needed; yields its URL."""
    url = f"http://{listening}"
    with log.open("a") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
        try:
            _wait_until_ready(url, process, log)
            yield url
        finally:
            process.terminate()
            process.wait(_PATIENCE)


def free_address() -> str:
    """A port on the loopback that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{one.getsockname()[1]}"


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=1):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.05)
    raise AssertionError(f"{url} does not answer: {log.read_text()[-2000:]}")
