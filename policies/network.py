"""Subnets and security groups."""

from .rule import Report, Resource, Rule, Settings


def _closed(group: Resource, report: Report, _: Settings) -> None:
    rules = group.get("ingress", default=[]) if group.kind == "SecurityGroup" else [group.props]
    if group.kind == "SecurityGroupRule" and group.get("type") != "ingress":
        return
    for rule in rules:
        sources = [
            *(rule.get("cidrBlocks") or []),
            *(rule.get("ipv6CidrBlocks") or []),
            rule.get("cidrIpv4"),
            rule.get("cidrIpv6"),
        ]
        if any(source in ("0.0.0.0/0", "::/0") for source in sources):
            report(f"{group.name} lets the whole internet in")


def _private(subnet: Resource, report: Report, _: Settings) -> None:
    if subnet.get("mapPublicIpOnLaunch", default=False) is True:
        report(f"machines in {subnet.name} get public addresses by themselves")


RULES = (
    Rule(
        id="no-open-ingress", kinds=("SecurityGroup", "SecurityGroupRule", "SecurityGroupIngressRule"), check=_closed,
        looks_at="ingress of security groups", passes="sources are named", fails="0.0.0.0/0 or ::/0 may connect",
        why="scanners find it within minutes", fix="name the sources",
    ),
    Rule(
        id="no-public-addresses", kinds=("Subnet",), check=_private,
        looks_at="subnets", passes="they give no public addresses by themselves", fails="they do",
        why="a GPU node that lands there stands in the open", fix="set mapPublicIpOnLaunch: false",
    ),
)  # fmt: skip
