"""Cases of the rules about subnets and security groups."""

from typing import Any

from policies import UNKNOWN

from .stacks import GONE, Build, cases_of, fails, passes, program, resource, shipped_stack, undecided, with_value

_ALL4, _ALL6, _SOME = "0.0.0.0/0", "::/0", "10.0.0.0/8"
_ENDPOINTS = ("research", "SecurityGroup", "endpoints")


def _group(**rule: Any) -> Build:
    return program(resource("aws:ec2/securityGroup:SecurityGroup", "group", {"ingress": [rule]}))


def _old_rule(**inputs: Any) -> Build:
    return program(resource("aws:ec2/securityGroupRule:SecurityGroupRule", "rule", {"type": "ingress", **inputs}))


def _new_rule(**inputs: Any) -> Build:
    return program(resource("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "rule", inputs))


INGRESS = cases_of(
    "no-open-ingress",
    passes("only the VPC", shipped_stack("research")),
    passes("one block, in a separate rule", shipped_stack("prod")),
    passes(
        "no ingress",
        program(resource("aws:ec2/securityGroup:SecurityGroup", "group", {"egress": [{"cidrBlocks": [_ALL4]}]})),
    ),
    passes("an old rule for egress", _old_rule(type="egress", cidrBlocks=[_ALL4])),
    passes("an old rule for a private block", _old_rule(cidrBlocks=[_SOME])),
    passes("a block written as an address inside it", _new_rule(cidrIpv4="10.1.2.3/8")),
    passes("some addresses of the internet", _new_rule(cidrIpv4="8.8.8.0/24")),
    passes("a block as large as the largest that one company owns", _new_rule(cidrIpv4="9.0.0.0/8")),
    passes("every private IPv6 address", _new_rule(cidrIpv6="fc00::/7")),
    passes(
        "an old rule with sources that are null",
        _old_rule(cidrBlocks=None, ipv6CidrBlocks=None, sourceSecurityGroupId="sg-1"),
    ),
    passes("another security group as source", _new_rule(referencedSecurityGroupId=UNKNOWN)),
    fails(
        "a group that is open",
        with_value(*_ENDPOINTS, ("ingress", 0, "cidrBlocks"), [_SOME, _ALL4]),
        "gpu-research-network-endpoints",
    ),
    fails(
        "a second rule that is open",
        with_value(*_ENDPOINTS, ("ingress", 1), {"ipv6CidrBlocks": [_ALL6]}),
        "gpu-research-network-endpoints",
    ),
    fails("an old rule that is open", _old_rule(cidrBlocks=[_ALL4]), "rule"),
    fails("a new rule that is open", _new_rule(cidrIpv4=_ALL4), "rule"),
    fails("a new rule that is open to IPv6", _new_rule(cidrIpv6=_ALL6), "rule"),
    fails("the internet in two halves", _new_rule(cidrIpv4="0.0.0.0/1"), "rule"),
    fails(
        "the VPC's default group",
        program(
            resource(
                "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "group", {"ingress": [{"cidrBlocks": [_ALL4]}]}
            )
        ),
        "group",
    ),
    undecided("ingress not known", with_value(*_ENDPOINTS, ("ingress",), UNKNOWN), "gpu-research-network-endpoints"),
    undecided("the direction not known", _old_rule(type=UNKNOWN, cidrBlocks=[_ALL4]), "rule"),
    undecided(
        "one rule of a group not known",
        with_value(*_ENDPOINTS, ("ingress", 0), UNKNOWN),
        "gpu-research-network-endpoints",
    ),
    undecided(
        "sources not known",
        with_value(*_ENDPOINTS, ("ingress", 0, "cidrBlocks"), UNKNOWN),
        "gpu-research-network-endpoints",
    ),
    undecided("one source not known", _group(cidrBlocks=[_SOME, UNKNOWN]), "group"),
    undecided("the source of a new rule not known", _new_rule(cidrIpv4=UNKNOWN), "rule"),
    fails("one source not known, another open", _group(cidrBlocks=[UNKNOWN, _ALL4]), "group"),
)

_SUBNET = "gpu-dev-network-public-us-east-1a"

ADDRESSES = cases_of(
    "no-public-addresses",
    passes("no public addresses", shipped_stack("dev")),
    passes(
        "not set, so no public addresses",
        with_value("dev", "Subnet", "public-us-east-1a", ("mapPublicIpOnLaunch",), GONE),
    ),
    fails(
        "public addresses", with_value("dev", "Subnet", "public-us-east-1a", ("mapPublicIpOnLaunch",), True), _SUBNET
    ),
    undecided(
        "not known", with_value("dev", "Subnet", "public-us-east-1a", ("mapPublicIpOnLaunch",), UNKNOWN), _SUBNET
    ),
)

CASES = (*INGRESS, *ADDRESSES)
