"""``advise``: what do the metrics of a running stack say should change? It asks Prometheus, and changes nothing."""

import argparse
import importlib
import json
import os
import re
import sys
from datetime import date
from pathlib import Path
from typing import Any

from ..checks import find_warnings
from ..config import StackConfig
from ..errors import UsageError
from ..live.advise import Advice, Observed, advise
from ..live.advise.document import as_json
from ..loading import StackFile, open_stack
from .files import write_whole
from .text.advise import show
from .text.tables import progress

MOST_DAYS = 365
_CLUSTER = re.compile(r"[\w./:@-]+")
_NEEDED = ("requests", "urllib3", "ruamel", "boto3", "botocore")
_TOKEN, _USER, _PASSWORD = "PROMETHEUS_TOKEN", "PROMETHEUS_USERNAME", "PROMETHEUS_PASSWORD"


def run(arguments: argparse.Namespace) -> int:
    """Ask, work out what to propose, print it and write the edited file; 0 also when there is nothing to propose."""
    if not 1 <= arguments.days <= MOST_DAYS:
        raise UsageError(f"--days {arguments.days}: is no number of days from 1 to {MOST_DAYS}")
    if arguments.cluster is not None and not _CLUSTER.fullmatch(arguments.cluster):
        raise UsageError(f"--cluster {arguments.cluster!r}: is no name; write letters, digits and ._/:@-")
    file = open_stack(arguments.stack)
    if file.config.monitoring is None:
        text = "the stack has no monitoring, so nothing records what advise reads; add monitoring: {mode: install} and wait some days"
        raise UsageError(f"{file.source.file}: {text}")
    if arguments.out and arguments.out.exists():
        raise UsageError(
            f"--out {arguments.out}: exists already; name a new file, and compare the two before you replace one"
        )
    seen = _observed(file.config, arguments)
    found = advise(file.config, seen)
    edited = _live("gpu_blueprint.live.advise.edit").edited(file.source, found.proposals)
    left_out = {one.name: why for one, why in edited.left_out}
    if arguments.json:
        print(json.dumps(as_json(file.config, seen, found, left_out), indent=2, ensure_ascii=False))
    else:
        show(file.config, seen, found, left_out)
    if arguments.out:
        _write(arguments.out, file, found, edited)
    return 0


def _observed(stack: StackConfig, arguments: argparse.Namespace) -> Observed:
    prometheus, measure = (_live(f"gpu_blueprint.live.advise.{name}") for name in ("prometheus", "measure"))
    server = prometheus.Prometheus(arguments.prometheus, _who(prometheus, arguments))
    with progress(f"asking {server.url} for {arguments.days} days of {stack.cluster_name} …"):
        seen: Observed = measure.observe(server, stack, arguments.days, arguments.cluster)
    return seen


def _live(module: str) -> Any:
    """Load what needs packages that only live commands need."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package not in _NEEDED:
            raise
        text = (
            f"advise needs {package}, which is not installed: .venv/bin/python -m pip install -r requirements-live.txt"
        )
        raise UsageError(text) from None


def _who(prometheus: Any, arguments: argparse.Namespace) -> Any:
    """Who asks, from a file or the environment: an argument is seen by everybody on the machine."""
    if token_file := arguments.token_file:
        try:
            return prometheus.Bearer(_token(token_file.read_text(encoding="utf-8"), f"--token-file {token_file}"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--token-file {token_file}: cannot be read: {error}") from None
    if _TOKEN in os.environ:
        return prometheus.Bearer(_token(os.environ[_TOKEN], _TOKEN))
    if user := os.environ.get(_USER):
        if _PASSWORD not in os.environ:
            raise UsageError(f"{_USER} is set and {_PASSWORD} is not")
        return prometheus.Basic(user, os.environ[_PASSWORD])
    if region := prometheus.amp_region(arguments.prometheus):
        credentials = _live("gpu_blueprint.live.preflight.aws").sign_in(region).get_credentials()
        return _live("gpu_blueprint.live.advise.amp").Signed(credentials, region)
    return None


def _token(text: str, where: str) -> str:
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{where}: holds no token, which is one word of ASCII letters, digits and signs")
    return token


def _write(path: Path, file: StackFile, found: Advice, edited: Any) -> None:
    if edited.text == file.source.text:
        print(f"{path}: not written, since nothing in the stack file would change", file=sys.stderr)
        return
    write_whole(path, edited.text)
    left_out = {one.name for one, _ in edited.left_out}
    count = sum(bool(one.changes) and one.name not in left_out for one in found.proposals)
    print(
        f"{path}: {file.source.file} with {count} of {len(found.proposals)} proposals; check accepts it",
        file=sys.stderr,
    )
    known = {*map(str, find_warnings(file.config, date.today()))}
    for warning in find_warnings(edited.config, date.today()):
        if str(warning) not in known:
            print(f"warning, new with it: {warning}", file=sys.stderr)
    print(f"look at it, then: diff {file.source.file} {path}; cp {path} {file.source.file}", file=sys.stderr)
