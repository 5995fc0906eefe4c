"""Subnets and security groups."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import Any

from .rule import Report, Resource, Rule, Settings, known_first

WIDEST = 8
"""Blocks with a shorter prefix hold more of the internet than anybody owns."""


def opens_much(cidrs: Iterable[str]) -> bool:
    """Whether address blocks admit the internet, whole or in a few pieces."""
    networks = [ip_network(cidr, strict=False) for cidr in cidrs]
    return any(network.prefixlen < WIDEST and not network.is_private for network in networks)


def _closed(group: Resource, report: Report, _: Settings) -> None:
    inline = group.kind in ("SecurityGroup", "DefaultSecurityGroup")
    if group.kind == "SecurityGroupRule" and group.get("type") != "ingress":
        return
    rules = group.get("ingress", default=[]) if inline else [group.props]
    if known_first(rules, _is_open):
        report(f"{group.name} lets the whole internet in")


def _is_open(rule: Mapping[str, Any]) -> bool:
    single = [rule[key] for key in ("cidrIpv4", "cidrIpv6") if key in rule]
    lists = [list(rule[key]) for key in ("cidrBlocks", "ipv6CidrBlocks") if rule.get(key) is not None]
    return bool(
        known_first([*single, *(one for listed in lists for one in listed)], lambda one: opens_much([str(one)]))
    )


def _private(subnet: Resource, report: Report, _: Settings) -> None:
    if subnet.get("mapPublicIpOnLaunch", default=False) is True:
        report(f"machines in {subnet.name} get public addresses by themselves")


RULES = (
    Rule(
        id="no-open-ingress", kinds=("SecurityGroup", "DefaultSecurityGroup", "SecurityGroupRule", "SecurityGroupIngressRule"), check=_closed,
        looks_at="ingress of security groups", passes="sources are named", fails="0.0.0.0/0 or ::/0 may connect",
        why="scanners find it within minutes", fix="name the sources",
    ),
    Rule(
        id="no-public-addresses", kinds=("Subnet",), check=_private,
        looks_at="subnets", passes="they give no public addresses by themselves", fails="they do",
        why="a GPU node that lands there stands in the open", fix="set mapPublicIpOnLaunch: false",
    ),
)  # fmt: skip
