"""The preview as text of at most 100 columns: pools, tenants, services, resources, findings and costs."""

from collections.abc import Iterator, Sequence
from datetime import date

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...config import ExistingMonitoring, StackConfig
from ...cost.estimate import estimate_stack
from ...explain.cluster.existing_cluster import describe_owner
from ...explain.plain_table import PlainTable
from ...explain.stack import describe_enforcement, identify_stack
from ...files.loading import StackFile
from ...plan import PlannedResource
from ...problem import Problem, Severity
from .cost import describe_in_one_line
from .equal_findings import join_equal_findings
from .findings import summarize_findings
from .formats import to_text
from .hourly_ceilings import describe_tenant_ceilings
from .preview_tables import build_tables
from .preview_tree import build_resource_tree
from .tables import make_console, make_table

_STYLES: dict[Severity, str] = {"error": "bold red", "warning": "yellow", "note": "yellow"}


def show(stack: StackFile, plan: Sequence[PlannedResource], findings: Sequence[Problem]) -> None:
    """Print the preview."""
    out, config = make_console(), stack.config
    out.print(_format_title(config))
    for rows in build_tables(config):
        out.print(_build_table(rows))
        if rows.notes:
            out.print(Text("\n".join([*rows.notes, ""])))
    out.print(build_resource_tree(plan))
    if missing := stack.missing_secrets:
        out.print(Text(describe_missing_secrets(missing), style="yellow"))
    for problem in (*stack.list_warnings(date.today()), *join_equal_findings(findings)):
        out.print(Text(to_text(problem), style=_STYLES[problem.severity]))
    failing = any(problem.severity == "error" for problem in findings)
    out.print(Text(summarize_findings(findings, config.environment), style="bold red" if failing else "green"))
    cost = estimate_stack(config)
    for line in describe_tenant_ceilings(config):
        out.print(Text(line))
    out.print(Text(describe_in_one_line(cost), style="bold"))
    out.print(Text(f"{count_resources(plan)}; nothing was created.", style="bold"))


def describe_missing_secrets(names: Sequence[str]) -> str:
    """Return a hint to set the secrets that the stack needs and its file lacks."""
    return f"set before `pulumi up` with `pulumi config set --secret`: {', '.join(names)}"


def count_resources(plan: Sequence[PlannedResource]) -> str:
    """Return the number of resources and of components, without the stack itself."""
    resources = sum(resource.custom for resource in plan)
    return f"{resources} resources in {len(plan) - resources - 1} components"


def _format_title(config: StackConfig) -> Text:
    facts = identify_stack(config)
    versions = (
        f"Kubernetes {facts['kubernetes']} · Karpenter {facts['karpenter']} · GPU Operator {facts['gpuOperator']}"
    )
    if config.existing_cluster:
        versions += f"\n{describe_owner(config.existing_cluster)}"
    repair = "; broken nodes are replaced" if config.cluster.node_repair else ""
    admission = f"\n{describe_enforcement(config)}" if config.tenants else ""
    return Text.assemble(
        (facts["name"], "bold"),
        f" in {facts['region']}, account {facts['accountId']}\n{versions}\n"
        f"{_describe_monitoring(config)}{repair}{admission}\n",
    )


def _describe_monitoring(config: StackConfig) -> str:
    """Return which Prometheus watches the platform, and who gets its alerts."""
    monitoring = config.monitoring
    if monitoring is None:
        return "not monitored (field monitoring)"
    if isinstance(monitoring, ExistingMonitoring):
        return "watched by your own Prometheus: monitors, rules and dashboards are made (docs/own-prometheus.md)"
    notify = monitoring.notify
    names = [notify.slack_channel, "PagerDuty" if notify.pagerduty else None, *notify.emails] if notify else []
    if notify and notify.watchdog:
        names.append("Watchdog to your dead man's switch")
    receivers = ", ".join(name for name in names if name) or "nobody"
    grafana = " and Grafana" if monitoring.grafana else ""
    return f"watched by Prometheus ({monitoring.retention_days} days){grafana}; alerts go to {receivers}"


def _build_table(rows: PlainTable) -> Table:
    """Return a table with the first line of each row in bold. A blank line follows each row of several lines."""
    listed = make_table(rows.title, *rows.headers)
    spaced = rows.title == "GPU pools"
    for row in rows.rows:
        listed.add_row(*_format_cells(row))
        if spaced:
            listed.add_row()
    for row in rows.sums:
        listed.add_row(*map(escape, row), style="dim")
    if not spaced and not rows.notes:
        listed.add_row()
    return listed


def _format_cells(row: Sequence[str]) -> Iterator[str]:
    name, *rest = row
    first, *more = name.split("\n")
    yield "\n".join([f"[bold]{escape(first)}[/]", *map(escape, more)])
    yield from map(escape, rest)
