"""The preview for people: pools, tenants, resources and warnings in at most 100 columns."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ...config import ExistingMonitoring, StackConfig
from ...cost import estimate
from ...judging.report import Placed
from ...loading import StackFile
from ...plan import PlannedResource
from ...sharing import WHOLE_GPU
from ...summary.stack import (
    PoolSummary,
    ServiceSummary,
    TenantSummary,
    pool_summary,
    service_summary,
    stack_facts,
    tenant_summary,
)
from ..cost import one_line, stale
from ..policies import verdict
from .tables import console, table

_SHOWN = 6
"""Of more siblings of one kind than this, only the first are listed."""


def show(stack: StackFile, plan: Sequence[PlannedResource], found: Sequence[Placed]) -> None:
    """Print the preview."""
    out, config = console(), stack.config
    out.print(_title(config))
    out.print(_pools([pool_summary(config, pool) for pool in config.pools]))
    if config.tenants:
        out.print(_tenants(config, [tenant_summary(config, tenant) for tenant in config.tenants]))
    if config.services:
        out.print(_services([service_summary(config, service) for service in config.services]))
    out.print(_resources(plan))
    if missing := stack.missing_secrets:
        out.print(
            Text(
                f"to be set before `pulumi up`, with `pulumi config set --secret`: {', '.join(missing)}", style="yellow"
            )
        )
    for warning in stack.warnings(date.today()):
        out.print(Text(f"warning: {warning}", style="yellow"))
    for one in found:
        out.print(Text(str(one), style="bold red" if one.finding.fails else "yellow"))
    out.print(Text(verdict(found), style="bold red" if any(one.finding.fails for one in found) else "green"))
    found_cost = estimate(config)
    if old := stale(found_cost, date.today()):
        out.print(Text(f"warning: {old}", style="yellow"))
    out.print(Text(one_line(found_cost), style="bold"))
    made = sum(resource.custom for resource in plan)
    out.print(Text(f"{made} resources in {len(plan) - made - 1} components; nothing was created.", style="bold"))


def _title(config: StackConfig) -> Text:
    facts = stack_facts(config)
    versions = (
        f"Kubernetes {facts['kubernetes']} · Karpenter {facts['karpenter']} · GPU Operator {facts['gpuOperator']}"
    )
    repaired = "; broken nodes are replaced" if config.cluster.node_repair else ""
    return Text.assemble(
        (facts["name"], "bold"),
        f" in {facts['region']}, account {facts['accountId']}\n{versions}\n{_watched(config)}{repaired}\n",
    )


def _watched(config: StackConfig) -> str:
    """Who watches it, and who is told."""
    watching = config.monitoring
    if watching is None:
        return "nothing watches it (monitoring)"
    if isinstance(watching, ExistingMonitoring):
        return "watched by your own Prometheus: monitors, rules and dashboards are made (docs/own-prometheus.md)"
    told = watching.notify
    names = [told.slack_channel, "PagerDuty" if told.pagerduty else None, *told.emails] if told else []
    listed = ", ".join(name for name in names if name) or "nobody"
    grafana = " and Grafana" if watching.grafana else ""
    return f"watched by Prometheus ({watching.retention_days} days){grafana}; alerts go to {listed}"


def _pools(pools: Iterable[PoolSummary]) -> Table:
    listed = table("GPU pools", "pool", "GPU and instance types", "bought", "a node hands out", "ceiling")
    for pool in pools:
        handed = [f"= {count} {_short(name)}" for name, count in pool.ceiling.items() if name != WHOLE_GPU]
        listed.add_row(
            f"[bold]{pool.name}[/]\n{pool.purpose}",
            "\n".join(
                [
                    f"{pool.gpu}: {types_in_short(pool.instance_types)}",
                    f"{pool.sharing}, {pool.ami}",
                    *([f"open {pool.hours}"] if pool.hours else []),
                    *([f"headroom: {pool.headroom['pods']} × a pod"] if pool.headroom else []),
                ]
            ),
            "\n".join([" → ".join(pool.purchase), *pool.reservations]),
            "\n".join(_range(name, [node[name] for node in pool.per_node.values()]) for name in pool.ceiling),
            "\n".join([f"{pool.max_gpus} GPUs", *handed, _price(pool)]),
        )
        listed.add_row()
    return listed


def _price(pool: PoolSummary) -> str:
    """What the ceiling can cost on demand, on the dearest type."""
    price = pool.ceiling_usd_per_hour
    return "price unknown" if price is None else f"≤ ${price:,.2f}/h"


def types_in_short(types: list[str]) -> str:
    """Write a long list by family: ``g6.xlarge … 48xlarge, gr6.4xlarge, gr6.8xlarge``."""
    parts: list[str] = []
    for _, group in groupby(types, key=lambda name: name.split(".")[0]):
        names = list(group)
        parts += names if len(names) < 3 else [f"{names[0]} … {names[-1].split('.')[1]}"]
    return ", ".join(parts)


def _range(name: str, counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low if low == high else f'{low} to {high}'} {_short(name)}"


def _short(name: str) -> str:
    return name.removeprefix("nvidia.com/")


def _tenants(config: StackConfig, tenants: list[TenantSummary]) -> Table:
    listed = table("Tenants", "tenant", "GPU quota by pool", "counted as", "CPU", "memory", "members")
    for tenant in tenants:
        listed.add_row(
            f"[bold]{tenant.name}[/]",
            "\n".join(_grants(config, tenant)) or "none",
            "\n".join(f"{count} {_short(name)}" for name, count in tenant.quota.items()),
            tenant.cpu,
            tenant.memory,
            "\n".join(member.rsplit("/", 1)[-1] for member in tenant.members),
        )
    ceilings = {name: count for name, count in config.exposed_resources.items() if count}
    sums = [
        f"{sum(tenant.quota.get(name, 0) for tenant in tenants)} of {most} {_short(name)}"
        for name, most in ceilings.items()
    ]
    listed.add_row("all", "", "\n".join(sums), style="dim")
    listed.add_row()
    return listed


def _grants(config: StackConfig, tenant: TenantSummary) -> Iterator[str]:
    for name, grant in tenant.gpus.items():
        pool = config.pools_by_name[name]
        ceiling = pool.profile.ceiling(pool.max_gpus)
        units = pool.profile.units
        counts = pool.by_unit(grant)
        yield f"{name}: {', '.join(f'{count} of {ceiling[units[unit]]} {_short(units[unit])}' for unit, count in counts.items())}"


def _services(services: list[ServiceSummary]) -> Table:
    listed = table("Services", "Deployment", "pool", "server", "replicas", "scales on")
    for one in services:
        listed.add_row(
            f"[bold]{one.namespace}/{one.name}[/]",
            one.pool,
            one.server or "",
            f"{one.min_replicas} to {one.max_replicas}",
            "\n".join(one.scales_on),
        )
    listed.add_row()
    return listed


def _resources(plan: Sequence[PlannedResource]) -> Tree:
    children: dict[str, list[PlannedResource]] = {}
    for resource in plan:
        children.setdefault(resource.parent, []).append(resource)
    root = next(resource for resource in plan if not resource.parent)
    tree = Tree(Text("Resources", style="bold"), guide_style="dim")
    _branch(tree, root, children)
    return tree


def _branch(tree: Tree, above: PlannedResource, children: dict[str, list[PlannedResource]]) -> None:
    """Add what stands below a component: its resources, summed up by type, then the components inside it."""
    below = children.get(above.urn, [])
    resources = [resource for resource in below if resource.custom]
    for type_, group in groupby(sorted(resources, key=lambda r: _kind(r.type)), key=lambda r: _kind(r.type)):
        names = [_without(above.name, resource.name) for resource in group]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        tree.add(Text.assemble((type_, "cyan"), f" {', '.join(names[:_SHOWN])}{more}"))
    components = [resource for resource in below if not resource.custom]
    for type_, group in groupby(sorted(components, key=lambda r: _kind(r.type) in _MANY), key=lambda r: _kind(r.type)):
        listed = list(group)
        for resource in listed[:_SHOWN]:
            _branch(tree.add(Text.assemble((type_, "bold"), f" {resource.name}")), resource, children)
        if len(listed) > _SHOWN:
            tree.add(Text(f"… and {len(listed) - _SHOWN} more {type_}", style="dim"))


_MANY = ("GpuPool", "PoolHours", "TenantSpace", "GpuAutoscaler")


def _kind(type_: str) -> str:
    """The last part of a type token, such as ``Subnet``."""
    return "Provider" if type_.startswith("pulumi:providers:") else type_.rsplit(":", 1)[-1]


def _without(component: str, name: str) -> str:
    """A child's name without the component's, which stands above it."""
    return name.removeprefix(f"{component}-")
