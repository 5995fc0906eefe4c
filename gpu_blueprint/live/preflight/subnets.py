"""Are existing subnets what the file says, and have they enough free addresses? A new VPC has, by its arithmetic."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...catalog import instance
from ...checks.capacity import CNI_ENIS, addresses_at_ceiling
from ...config import ExistingVpc, StackConfig
from ...config.network import STABLE_ZONES, Subnet
from .answers import Account, Finding, Question, Status, UnansweredError
from .identity import find_cluster, is_ours

_CONTROL_PLANE = 6
"""Addresses that EKS wants free in a subnet of the control plane (EKS user guide, "VPC and subnet requirements")."""


def questions(stack: StackConfig) -> Iterator[Question]:
    """Ask for all subnets at once."""
    if isinstance(stack.network, ExistingVpc):
        yield Question(check="subnets", subject=stack.network.vpc_id, ask=partial(_subnets, stack, stack.network))


def _subnets(stack: StackConfig, network: ExistingVpc, account: Account) -> list[Finding]:
    # A filter leaves out what is not there; SubnetIds would fail as a whole.
    filters = [{"Name": "subnet-id", "Values": [subnet.id for subnet in network.subnets]}]
    answer = account.ask("ec2", "DescribeSubnets", Filters=filters)
    found = {one["SubnetId"]: one for one in answer.get("Subnets", [])}
    findings = [_subnet(network, said, found.get(said.id)) for said in network.subnets]
    return [*findings, *_rooms(stack, network, found, account)]


def _subnet(network: ExistingVpc, said: Subnet, found: dict[str, Any] | None) -> Finding:
    if found is None:
        return _finding(said.id, Status.FAIL, "is not in this account and region", "correct network.subnets")
    wrong = []
    if found["VpcId"] != network.vpc_id:
        wrong.append(f"is in {found['VpcId']}, the file says {network.vpc_id}")
    if found["AvailabilityZone"] != said.zone:
        wrong.append(f"is in {found['AvailabilityZone']}, the file says {said.zone}")
    if said.cidr and found["CidrBlock"] != said.cidr:
        wrong.append(f"has {found['CidrBlock']}, the file says {said.cidr}")
    if wrong:
        return _finding(said.id, Status.FAIL, "; ".join(wrong), "correct network.vpcId and network.subnets")
    text = f"{found['CidrBlock']} in {said.zone}, {found['AvailableIpAddressCount']:,} addresses free"
    return _finding(said.id, Status.PASS, text, "")


def _rooms(
    stack: StackConfig, network: ExistingVpc, found: dict[str, dict[str, Any]], account: Account
) -> Iterator[Finding]:
    """Compare what is free in each zone with what nodes hold there at the ceiling of all pools."""
    for zone in network.zones:
        inside = [found[one.id] for one in network.subnets if one.zone == zone and one.id in found]
        if not inside:
            continue  # said above already
        free, wanted = sum(one["AvailableIpAddressCount"] for one in inside), addresses_in(stack, zone)
        text = f"{free:,} addresses free, nodes hold {wanted:,} at the ceiling of all pools"
        if free >= wanted:
            yield _finding(zone, Status.PASS, text, "")
        elif _runs(stack, account):
            text += ", of which those that run now hold some"
            yield _finding(zone, Status.WARN, text, "see whether nodes of this platform hold the rest")
        else:
            yield _finding(zone, Status.FAIL, text, "name larger or more subnets of the zone, or lower maxGpus")


def _runs(stack: StackConfig, account: Account) -> bool:
    """Whether the platform runs already, as far as we may know."""
    try:
        cluster = find_cluster(stack, account)
    except UnansweredError:  # said where the cluster itself is asked for
        return False
    return cluster is not None and is_ours(stack, cluster.get("tags") or {})


def addresses_in(stack: StackConfig, zone: str) -> int:
    """Addresses that nodes and the control plane hold in one zone; pools spread over theirs evenly."""
    wanted = 0
    for pool in stack.pools:
        zones = stack.zones_of(pool)
        if zone in zones:
            wanted += -(-addresses_at_ceiling(stack, pool) // len(zones))
    stable = list(stack.network.zones)[:STABLE_ZONES]
    if zone in stable:
        system = stack.cluster.system_nodes
        most = max(instance(name).addresses_per_eni for name in system.instance_types) * CNI_ENIS
        wanted += -(-system.count // len(stable)) * most + _CONTROL_PLANE
    return wanted


def _finding(subject: str, status: Status, message: str, remedy: str) -> Finding:
    return Finding(check="subnets", subject=subject, status=status, message=message, remedy=remedy)
