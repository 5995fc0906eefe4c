"""Rules for subnets and security groups."""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Any

from .resources import Resource
from .rule import Report, Rule, Settings, find_wrong
from .values import UNKNOWN, NotYetKnownError

WIDEST_PREFIX = 8
"""A block with this prefix holds as many addresses as any single organisation owns."""


def admits_internet(cidrs: Iterable[Any]) -> bool:
    """Tell whether address blocks together hold more public addresses than any single organisation owns.

    The number counts, so many small blocks admit the internet too. A block that cannot be read counts as the internet.

    Raises:
        NotYetKnownError: The known blocks do not admit the internet, and others are not known yet.
    """
    listed = list(cidrs)
    known = [cidr for cidr in listed if cidr is not UNKNOWN]
    try:
        networks = [ip_network(str(cidr), strict=False) for cidr in known]
    except ValueError:
        return True
    public = [network for network in networks if not network.is_private]
    old = collapse_addresses([network for network in public if isinstance(network, IPv4Network)])
    new = collapse_addresses([network for network in public if isinstance(network, IPv6Network)])
    if _count_addresses(old) > 2 ** (32 - WIDEST_PREFIX) or _count_addresses(new) > 2 ** (128 - WIDEST_PREFIX):
        return True
    if len(known) < len(listed):
        raise NotYetKnownError("an address block")
    return False


def _count_addresses(networks: Iterable[IPv4Network | IPv6Network]) -> int:
    return sum(network.num_addresses for network in networks)


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
