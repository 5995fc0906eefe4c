"""A real Prometheus on a free loopback port, with samples of the past and what our rules would have recorded of them."""

import json
import re
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

PROMETHEUS, PROMTOOL = shutil.which("prometheus"), shutil.which("promtool")
_PATIENCE = 30
"""Seconds in which it must answer."""
_EVERY = 240
"""Seconds between recorded samples."""


@contextmanager
def prometheus(folder: Path, openmetrics: str, rules: list[dict[str, Any]] | None = None) -> Iterator[str]:
    """Serve samples in OpenMetrics text until the end of the block; yields the base address.

    ``rules`` are rule groups. What they record is worked out by the server over the time that the samples span, those
    that speak of others after these; alerts among them are passed over. promtool's own backfill of rules makes a block
    for each rule and two hours, which takes minutes.
    """
    data = folder / "data"
    span = _span(openmetrics)
    _import(folder, data, openmetrics)
    for level in _levels(rules or []):
        with _serving(folder, data) as url:
            lines = [line for rule in level for line in _recorded(url, rule, span)]
        _import(folder, data, "\n".join([*sorted(lines), "# EOF\n"]))
    with _serving(folder, data) as url:
        yield url


def _levels(groups: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rules in turns, each of which speaks only of what turns before it recorded."""
    todo = [rule for group in groups for rule in group["rules"] if "record" in rule]
    while todo:
        names = {rule["record"] for rule in todo}
        ready = [rule for rule in todo if not names & set(re.findall(r"[a-zA-Z_:][\w:]*", rule["expr"]))]
        assert ready, f"rules that speak of each other: {names}"
        yield ready
        todo = [rule for rule in todo if rule not in ready]


def _recorded(url: str, rule: dict[str, Any], span: tuple[int, int]) -> Iterator[str]:
    """What a rule would have recorded, as OpenMetrics text."""
    asked = urllib.parse.urlencode({"query": rule["expr"], "start": span[0], "end": span[1], "step": _EVERY})
    with urllib.request.urlopen(f"{url}/api/v1/query_range?{asked}", timeout=_PATIENCE) as answer:
        result = json.load(answer)["data"]["result"]
    for series in result:
        labels = {name: text for name, text in series["metric"].items() if name != "__name__"} | rule.get("labels", {})
        inside = ",".join(f'{name}="{text}"' for name, text in sorted(labels.items()))
        yield from (f"{rule['record']}{{{inside}}} {value} {int(moment)}" for moment, value in series["values"])


def _import(folder: Path, data: Path, openmetrics: str) -> None:
    assert PROMTOOL, "promtool is missing: apt-get install prometheus"
    file = folder / "samples.txt"
    file.write_text(openmetrics)
    command = [PROMTOOL, "tsdb", "create-blocks-from", "--max-block-duration=8760h", "openmetrics", file, data]
    ran = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _span(openmetrics: str) -> tuple[int, int]:
    times = [float(line.rsplit(" ", 1)[1]) for line in openmetrics.splitlines() if line and not line.startswith("#")]
    return int(min(times)), int(max(times))


@contextmanager
def _serving(folder: Path, data: Path) -> Iterator[str]:
    config = folder / "prometheus.yaml"
    config.write_text("global: {}\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    assert PROMETHEUS, "prometheus is missing: apt-get install prometheus"
    command = [PROMETHEUS, f"--config.file={config}", f"--storage.tsdb.path={data}", f"--web.listen-address={address}"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*command, "--storage.tsdb.retention.time=10y"], stdout=log, stderr=log)
    try:
        _wait(f"http://{address}/-/ready", server, folder / "log")
        yield f"http://{address}"
    finally:
        server.terminate()
        server.wait(_PATIENCE)


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.05)
    raise AssertionError(f"Prometheus does not answer: {log.read_text()[-2000:]}")
