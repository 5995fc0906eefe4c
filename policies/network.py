"""Rules for subnets and security groups."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import Any

from .rule import Report, Resource, Rule, Settings, find_wrong

WIDEST_PREFIX = 8
"""A public block with a shorter prefix holds more addresses than any single organisation owns."""


def admits_internet(cidrs: Iterable[str]) -> bool:
    """Tell whether address blocks admit the internet, as one block or in a few large pieces."""
    networks = [ip_network(cidr, strict=False) for cidr in cidrs]
    return any(network.prefixlen < WIDEST_PREFIX and not network.is_private for network in networks)


def _refuse_open_ingress(group: Resource, report: Report, _: Settings) -> None:
    inline = group.kind in ("SecurityGroup", "DefaultSecurityGroup")
    if group.kind == "SecurityGroupRule" and group.get("type") != "ingress":
        return
    rules = group.get("ingress", default=[]) if inline else [group.props]
    if find_wrong(rules, _is_open):
        report(f"{group.name} admits connections from every address of the internet")


def _is_open(rule: Mapping[str, Any]) -> bool:
    single = [rule[key] for key in ("cidrIpv4", "cidrIpv6") if key in rule]
    lists = [list(rule[key]) for key in ("cidrBlocks", "ipv6CidrBlocks") if rule.get(key) is not None]
    cidrs = [*single, *(cidr for listed in lists for cidr in listed)]
    return bool(find_wrong(cidrs, lambda cidr: admits_internet([str(cidr)])))


def _refuse_public_addresses(subnet: Resource, report: Report, _: Settings) -> None:
    if subnet.get("mapPublicIpOnLaunch", default=False) is True:
        report(f"machines in subnet {subnet.name} get a public address at launch")


RULES = (
    Rule(
        id="no-open-ingress",
        kinds=("SecurityGroup", "DefaultSecurityGroup", "SecurityGroupRule", "SecurityGroupIngressRule"),
        check=_refuse_open_ingress,
        looks_at="ingress of security groups",
        passes="the sources are limited",
        fails="0.0.0.0/0 or ::/0 may connect",
        why="scanners find an open port within minutes",
        fix="name the address blocks or security groups that may connect",
    ),
    Rule(
        id="no-public-addresses",
        kinds=("Subnet",),
        check=_refuse_public_addresses,
        looks_at="subnets",
        passes="machines get no public address at launch",
        fails="machines get a public address at launch",
        why="a GPU node in the subnet is reachable from the internet",
        fix="set mapPublicIpOnLaunch: false",
    ),
)
