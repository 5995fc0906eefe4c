"""Do the quotas that apply to the account hold the stack at its ceiling?"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from ...catalog.service_quotas import CLUSTERS, ELASTIC_IPS, NAT_GATEWAYS, VPCS, ServiceQuota
from ...config import NewVpc, StackConfig
from ...summary.service_quotas import Need, command, instance_needs, platform_needs
from .answers import Account, Finding, Question, RefusedError, Status, UnansweredError, part
from .identity import is_ours


def questions(stack: StackConfig) -> Iterator[Question]:
    """Ask for each quota by itself: what may be read of one may not be of another."""
    for need in instance_needs(stack):
        yield Question(check="quotas", subject=_named(need.quota), ask=partial(_instances, stack, need))
    for need in platform_needs(stack):
        yield Question(check="room for the platform", subject=_named(need.quota), ask=partial(_platform, stack, need))


def _named(quota: ServiceQuota) -> str:
    return f"{quota.code} {quota.name}" if quota.code else quota.name


def _applied(account: Account, quota: ServiceQuota) -> float:
    """The value that applies; the default where the account's own cannot be had, as for quotas never changed."""
    for operation in ("GetServiceQuota", "GetAWSDefaultServiceQuota"):
        try:
            answer = account.ask("service-quotas", operation, ServiceCode=quota.service, QuotaCode=quota.code)
        except RefusedError as refusal:
            if refusal.code == "NoSuchResourceException":
                continue
            raise
        return float(part(answer, "Quota", "Value"))
    remedy = f"see `aws service-quotas list-service-quotas --service-code {quota.service}` for what it is called now"
    raise UnansweredError(Status.UNANSWERED, f"AWS knows no quota {quota.code} in this region", remedy)


def _instances(stack: StackConfig, need: Need, account: Account) -> list[Finding]:
    if need.quota.code is None:
        return [_unnumbered(stack, need, account)]
    return [_compared(stack, need, need.quota, _applied(account, need.quota))]


def _compared(stack: StackConfig, need: Need, quota: ServiceQuota, value: float) -> Finding:
    if value >= need.amount:
        status, message, remedy = Status.PASS, f"{value:,.0f} vCPU, needs {need.amount:,}", ""
    else:
        users = ", ".join(share.of for share in need.shares)
        status, message = Status.FAIL, f"{value:,.0f} vCPU, needs {need.amount:,} for {users}"
        remedy = " ".join(command(quota, need.amount, stack.region))
    if status is Status.FAIL and quota.purchase == "capacity-block":
        status, message = Status.WARN, f"{message}; a block that is bought already stays"
    return Finding(check="quotas", subject=_named(quota), status=status, message=message, remedy=remedy)


def _unnumbered(stack: StackConfig, need: Need, account: Account) -> Finding:
    """Look for a quota without published code by its name; two that fit, or none, are no answer."""
    listed = account.ask("service-quotas", "ListServiceQuotas", ServiceCode=need.quota.service)["Quotas"]
    fitting = [quota for quota in listed if _fits(need.quota, quota.get("QuotaName", ""))]
    if len(fitting) == 1:
        (found,) = fitting
        quota = ServiceQuota(
            service=need.quota.service,
            code=found["QuotaCode"],
            name=found["QuotaName"],
            unit=need.quota.unit,
            default=need.quota.default,
            purchase=need.quota.purchase,
        )
        return _compared(stack, need, quota, float(found["Value"]))
    return Finding(
        check="quotas",
        subject=need.quota.name,
        status=Status.WARN,
        message=f"AWS publishes no code and lists {len(fitting) or 'none'} by this name; it must hold {need.amount:,} vCPU",
        remedy=" ".join(command(need.quota, need.amount, stack.region)),
    )


def _fits(quota: ServiceQuota, name: str) -> bool:
    """Whether a listed name is the quota's: it speaks of all its families, or of their generation, or of all P."""
    kind = {"spot": "Spot Instance Requests", "capacity-block": "Capacity Blocks per account"}
    generations = {family.split("-")[0].upper() for family in quota.families}
    words = "|".join([*map(re.escape, sorted(generations)), *(["All P(?= )"] if quota.purchase == "spot" else [])])
    return kind.get(quota.purchase or "", "Running On-Demand") in name and bool(
        re.search(rf"\b({words})\b", name, re.IGNORECASE)
    )


def _platform(stack: StackConfig, need: Need, account: Account) -> list[Finding]:
    """What the platform makes comes on top of what others made; what it made itself before does not count twice."""
    used = _used(stack, need.quota, account)
    applied = _applied(account, need.quota)
    message = f"{applied:,.0f} allowed, {used} used by others, this platform makes {need.amount}"
    fine = used + need.amount <= applied
    return [
        Finding(
            check="room for the platform",
            subject=_named(need.quota),
            status=Status.PASS if fine else Status.FAIL,
            message=message,
            remedy="" if fine else " ".join(command(need.quota, used + need.amount, stack.region)),
        )
    ]


def _used(stack: StackConfig, quota: ServiceQuota, account: Account) -> int:
    """How many of a thing the account has that are not this platform's own."""
    if quota is CLUSTERS:
        return len(set(account.ask("eks", "ListClusters").get("clusters", [])) - {stack.cluster_name})
    if quota is VPCS:
        return sum(not _own(stack, vpc) for vpc in account.ask("ec2", "DescribeVpcs").get("Vpcs", []))
    if quota is ELASTIC_IPS:
        return sum(not _own(stack, one) for one in account.ask("ec2", "DescribeAddresses").get("Addresses", []))
    if quota is NAT_GATEWAYS:
        return _gateways(stack, account)
    raise ValueError(f"nothing counts {quota.name}")


def _gateways(stack: StackConfig, account: Account) -> int:
    """NAT gateways of others in the fullest of the zones where the platform makes one."""
    alive = {"Name": "state", "Values": ["pending", "available", "deleting"]}
    gateways = account.ask("ec2", "DescribeNatGateways", Filters=[alive]).get("NatGateways", [])
    others = Counter(one.get("SubnetId") for one in gateways if not _own(stack, one))
    if not others or not isinstance(stack.network, NewVpc):
        return 0
    places = [{"Name": "subnet-id", "Values": [*filter(None, others)]}]
    zones: Counter[str] = Counter()
    for subnet in account.ask("ec2", "DescribeSubnets", Filters=places).get("Subnets", []):
        zones[subnet["AvailabilityZone"]] += others[subnet["SubnetId"]]
    own = stack.network.zones if stack.network.nat == "per-zone" else stack.network.zones[:1]
    return max(zones[zone] for zone in own)


def _own(stack: StackConfig, thing: dict[str, Any]) -> bool:
    """Whether it carries the tags that this platform puts on everything; unlike a cluster, it must say whose."""
    tags = {tag["Key"]: tag["Value"] for tag in thing.get("Tags", [])}
    return "environment" in tags and is_ours(stack, tags)
