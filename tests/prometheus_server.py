"""A real Prometheus on a loopback port, with series that a test has made up."""

import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from .promtool import promtool

STEP_SECONDS = 60
"""How far apart the samples of recorded series are."""


@contextmanager
def prometheus(folder: Path, openmetrics: str, rules: list[dict[str, Any]] | None = None) -> Iterator[str]:
    """Serve OpenMetrics text and what rule groups record of it, over the text's own time; yields the address.

    The rules are evaluated over that time before anything is served; alerts among them are left out, since
    promtool does not backfill them.
    """
    data = folder / "data"
    _import(folder, data, openmetrics)
    for number, level in enumerate(levels(rules or [])):
        with _serving(folder, data) as url:
            _backfill(folder / f"level-{number}", data, level, span(openmetrics), url)
    with _serving(folder, data) as url:
        yield url


def span(openmetrics: str) -> tuple[int, int]:
    """First and last second of the samples."""
    seconds = [int(found) for found in re.findall(r"^[^#\n].* (\d{9,})$", openmetrics, re.MULTILINE)]
    return min(seconds), max(seconds)


def levels(groups: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Recording rules in groups of which each reads only what those before it have recorded."""
    todo = [rule for group in groups for rule in group["rules"] if "record" in rule]
    while todo:
        waiting = {rule["record"] for rule in todo}
        ready = [rule for rule in todo if not waiting & _names(rule["expr"])]
        assert ready, f"these wait for each other: {sorted(waiting)}"
        yield ready
        todo = [rule for rule in todo if rule not in ready]


def _names(expr: str) -> set[str]:
    return set(re.findall(r"[a-zA-Z_:][\w:]*", expr))


def _import(folder: Path, data: Path, openmetrics: str) -> None:
    text = folder / "series.txt"
    text.write_text(openmetrics)
    made = promtool("tsdb", "create-blocks-from", "openmetrics", text, data)
    assert made.returncode == 0, made.stdout + made.stderr


def _backfill(folder: Path, data: Path, rules: list[dict[str, Any]], within: tuple[int, int], url: str) -> None:
    folder.mkdir()
    (folder / "rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "level", "rules": rules}]}))
    times = [f"--start={within[0]}", f"--end={within[1]}", f"--eval-interval={STEP_SECONDS}s"]
    # A group's name and its file's, as it is given, say at which second of each minute it is evaluated: they stay the
    # same, so that one level finds the samples of another.
    made = promtool(
        "tsdb", "create-blocks-from", "rules", f"--url={url}", *times, "--output-dir=.", "rules.yaml", cwd=folder
    )
    assert made.returncode == 0, made.stdout + made.stderr
    for block in folder.iterdir():
        if block.is_dir():
            block.rename(data / block.name)


@contextmanager
def _serving(folder: Path, data: Path) -> Iterator[str]:
    program = shutil.which("prometheus")
    assert program, "prometheus is missing beside promtool: apt-get install prometheus"
    config = folder / "prometheus.yml"
    config.write_text("{}")
    url = f"http://127.0.0.1:{_free_port()}"
    log = folder / "prometheus.log"
    with log.open("a") as out:
        process = subprocess.Popen(
            [
                program,
                f"--config.file={config}",
                f"--storage.tsdb.path={data}",
                "--storage.tsdb.retention.time=100y",
                f"--web.listen-address={url.removeprefix('http://')}",
            ],
            stdout=out,
            stderr=out,
        )
        try:
            _wait_until_ready(url, process, log)
            yield url
        finally:
            process.terminate()
            process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=1) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.05)
    raise AssertionError(log.read_text())
