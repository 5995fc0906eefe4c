"""The runbook: a section for each alert, and what the recorded series mean."""

from collections.abc import Iterator
from itertools import groupby

from ..catalog.dcgm_metrics import DCGM_FIELDS, FATAL_XIDS
from ..monitoring import ALERTS, RECORDINGS, Alert
from ..monitoring.facts import FACTS

_HEAD = """# Alerts

What each alert means, what it costs to let it be, and what to do first; the same words stand in the notification. Below:
the series that rules record, and the metrics that dcgm-exporter is asked for. `monitoring` in
the stack file switches it on. Each rule is tested with the real promtool,
once so that it fires and once so that it is quiet.

Generated from the rules: `make docs`.
"""


def alerts_page() -> str:
    """The page as Markdown."""
    lines = [_HEAD, "| alert | severity | after |", "|---|---|---|"]
    lines += [f"| [{one.name}](#{one.name.lower()}) | {one.severity} | {one.wait} |" for one in ALERTS]
    for subject, alerts in groupby(ALERTS, key=lambda one: one.subject):
        lines += ["", f"## {subject}"]
        for one in alerts:
            lines += ["", f"### {one.name}", "", *runbook(one)]
    lines += ["", "## Xid errors that are fatal", "", *(f"- {code}: {what}" for code, what in FATAL_XIDS.items())]
    lines += ["", "## Recorded series", "", "| series | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {about} |" for name, about in FACTS.items()]
    lines += [f"| `{rule.name}` | {rule.about} |" for rule in RECORDINGS]
    lines += ["", "## What dcgm-exporter exports", "", "| metric | meaning | for |", "|---|---|---|"]
    lines += [f"| `{field.name}` | {field.help} | {field.why} |" for field in DCGM_FIELDS]
    return "\n".join(lines) + "\n"


def runbook(alert: Alert) -> Iterator[str]:
    """What an alert means and what to do first, as Markdown."""
    yield f"{_plain(alert.summary)}. Severity {alert.severity}.  "
    yield f"Costs: {alert.costs}"
    yield ""
    yield from (f"{number}. {_plain(step)}" for number, step in enumerate(alert.steps, 1))
    yield ""
    yield f"    {alert.expr}"


def _plain(text: str) -> str:
    """Turn what a template fills in into a word of the same meaning."""
    for raw, word in (("{{ $labels.", "<"), ("{{ $value | humanizePercentage }}", "<share>"), ("{{ $value", "<number")):
        text = text.replace(raw, word)
    return text.replace(" | humanize }}", ">").replace(" }}", ">")
