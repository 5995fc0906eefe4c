"""How much of the account's service quotas a stack needs when every pool is at its ceiling."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..catalog import Instance, instance
from ..catalog.service_quotas import (
    CLUSTERS,
    ELASTIC_IPS,
    INSTANCE_QUOTAS,
    NAT_GATEWAYS,
    VPCS,
    Purchase,
    ServiceQuota,
    instance_quota,
)
from ..config import NewVpc, Pool, StackConfig
from ..config.network import STABLE_ZONES


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one part of the stack needs of a quota, and how that was counted."""

    of: str
    amount: int
    counted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a stack needs of one quota, in the quota's unit."""

    quota: ServiceQuota
    shares: tuple[Share, ...]

    @property
    def amount(self) -> int:
        """All shares together."""
        return sum(share.amount for share in self.shares)

    def as_json(self, region: str) -> dict[str, Any]:
        """Write it with the names that YAML uses."""
        quota = self.quota
        return {
            "serviceCode": quota.service,
            "quotaCode": quota.code,
            "name": quota.name,
            "purchase": quota.purchase,
            "unit": quota.unit,
            "needed": self.amount,
            "default": quota.default,
            "shares": [{"of": one.of, "amount": one.amount, "counted": one.counted} for one in self.shares],
            "command": " ".join(command(quota, self.amount, region)) if self.amount > quota.default else None,
        }


def command(quota: ServiceQuota, amount: int, region: str) -> tuple[str, str]:
    """The call that asks AWS for a quota, or, where its code is unknown, the one that lists the candidates."""
    if quota.code:
        return (
            "aws service-quotas request-service-quota-increase",
            f"--service-code {quota.service} --quota-code {quota.code} --desired-value {amount} --region {region}",
        )
    words = "Capacity Blocks" if quota.purchase == "capacity-block" else "Spot Instance Requests"
    words = "Running On-Demand" if quota.purchase == "on-demand" else words
    found = f"\"Quotas[?contains(QuotaName, '{words}')].[QuotaCode,QuotaName,Value]\""
    return (
        f"aws service-quotas list-service-quotas --service-code {quota.service} --region {region} --output text",
        f"--query {found}",
    )


def instance_needs(stack: StackConfig) -> list[Need]:
    """What instances need at the ceiling, by quota, in the catalogue's order; quotas without code last."""
    found: dict[ServiceQuota, list[Share]] = {}
    for quota, share in _instance_shares(stack):
        found.setdefault(quota, []).append(share)
    needs = [Need(quota=quota, shares=tuple(shares)) for quota, shares in found.items()]
    return sorted(needs, key=lambda need: (need.quota.code is None, _rank(need.quota), need.quota.name))


def _rank(quota: ServiceQuota) -> int:
    return INSTANCE_QUOTAS.index(quota) if quota in INSTANCE_QUOTAS else len(INSTANCE_QUOTAS)


def platform_needs(stack: StackConfig) -> list[Need]:
    """What the platform itself makes, beside instances; it comes on top of what the account has already."""
    made = [_made(CLUSTERS, 1, "the control plane", stack.cluster_name)]
    if isinstance(stack.network, NewVpc):
        zones = stack.network.zones if stack.network.nat == "per-zone" else stack.network.zones[:1]
        made.append(_made(VPCS, 1, "the network", stack.network.cidr))
        made.append(_made(ELASTIC_IPS, len(zones), "NAT gateways", "one for each"))
        made.append(_made(NAT_GATEWAYS, 1, "NAT gateways", f"one in {', '.join(zones)}"))
    return made


def _made(quota: ServiceQuota, amount: int, of: str, counted: str) -> Need:
    return Need(quota=quota, shares=(Share(of=of, amount=amount, counted=counted),))


def _instance_shares(stack: StackConfig) -> Iterator[tuple[ServiceQuota, Share]]:
    for pool in stack.pools:
        for purchase in pool.purchase:
            if purchase != "reserved":  # what is reserved counts once, whoever uses it
                yield from _pool_shares(stack, pool, purchase)
    yield from _reservation_shares(stack)
    rows = [instance(name) for name in stack.cluster.system_nodes.instance_types]
    count = stack.cluster.system_nodes.count
    yield from _dearest_shares("system nodes", [{row: count} for row in rows], "on-demand")
    surge = 2 * min(len(stack.network.zones), STABLE_ZONES)
    yield from _dearest_shares("system nodes, while they are updated", [{row: surge} for row in rows], "on-demand")


def _pool_shares(stack: StackConfig, pool: Pool, purchase: Purchase) -> Iterator[tuple[ServiceQuota, Share]]:
    """A pool's whole ceiling: whatever it buys first may run dry, and all of it come from the other.

    EKS updates a managed node group by up to two more nodes in each of its zones (EKS user guide, «Understand each phase
    of node updates»). Types of one pool may count against different quotas (no such model today, but rows are data): each quota then
    has to hold the whole ceiling too.
    """
    by_quota: dict[ServiceQuota, list[Instance]] = {}
    for row in stack.instances_of(pool):
        by_quota.setdefault(instance_quota(row.family, purchase), []).append(row)
    for own in by_quota.values():
        alike = [{row: pool.static_nodes} for row in own if pool.static_nodes]
        fleets = alike or [dearest_fleet(own, pool.max_gpus)]
        yield from _dearest_shares(pool.name, fleets, purchase)
        if pool.static_nodes:
            surge = 2 * len(stack.zones_of(pool))
            yield from _dearest_shares(f"{pool.name}, while it is updated", [{row: surge} for row in own], purchase)


def dearest_fleet(rows: list[Instance], gpus: int) -> dict[Instance, int]:
    """The nodes with the most vCPUs that together hold no more than so many GPUs.

    Types are taken by vCPUs per GPU. That is exact where each size of node divides the larger ones, and GPUs come in
    1, 2, 4 and 8.
    """
    fleet: dict[Instance, int] = {}
    for row in sorted(rows, key=lambda row: row.vcpu / row.gpu_devices, reverse=True):
        nodes, gpus = divmod(gpus, row.gpu_devices)
        if nodes:
            fleet[row] = nodes
    return fleet


def _dearest_shares(
    of: str, fleets: list[dict[Instance, int]], purchase: Purchase
) -> Iterator[tuple[ServiceQuota, Share]]:
    """The fleet with the most vCPUs as a share of its quota."""
    fleet = max(fleets, key=_vcpus)
    if fleet:
        counted = " + ".join(f"{nodes} × {row.instance_type} of {row.vcpu} vCPU" for row, nodes in fleet.items())
        yield instance_quota(next(iter(fleet)).family, purchase), Share(of=of, amount=_vcpus(fleet), counted=counted)


def _vcpus(fleet: dict[Instance, int]) -> int:
    return sum(row.vcpu * nodes for row, nodes in fleet.items())


def _reservation_shares(stack: StackConfig) -> Iterator[tuple[ServiceQuota, Share]]:
    """Reservations count used or not; nodes of a pool that buys on-demand too are in its ceiling already."""
    room = {pool.name: pool.max_gpus for pool in stack.pools if "on-demand" in pool.purchase}
    for one in stack.reservations:
        row, left = instance(one.instance_type), one.instances
        if one.capacity_block:
            yield from _dearest_shares(one.id, [{row: left}], "capacity-block")
            continue
        for pool in stack.pools:
            if pool.name in room and any(term.selects(one) for term in pool.reservations):
                inside = min(left, room[pool.name] // row.gpu_devices)
                room[pool.name] -= inside * row.gpu_devices
                left -= inside
        if left:
            yield from _dearest_shares(one.id, [{row: left}], "on-demand")
