"""Read the AWS Price List: which products to ask for, and the price in dollars of each.

The filters for instances are the filters of aws/karpenter-provider-aws pkg/providers/pricing/pricing.go;
``marketoption`` excludes capacity blocks, which have other prices. The AWS Billing user guide describes the shape of an
answer under "Using the AWS Price List Query API". Usage types of services have a prefix for the region
(``EU-NatGateway-Hours``), except in us-east-1, where some have none.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from gpu_blueprint.records import Record

from .aws import PRICE_LIST_REGION, Answer, Connect, read_pages

FREE = "AWS lists it at zero, which is no price"
UNLISTED = "not in the Price List"
_INSTANCES = {"preInstalledSw": "NA", "operatingSystem": "Linux", "capacitystatus": "Used", "marketoption": "OnDemand"}
_KINDS = (
    {"tenancy": "Shared", "productFamily": "Compute Instance"},
    {"tenancy": "Dedicated", "productFamily": "Compute Instance (bare metal)"},
)
_HOUR = {"hrs": Decimal(1), "hours": Decimal(1), "hour": Decimal(1)}
_ONE = Decimal(1)
_GB_MONTH = {"gb-mo": _ONE, "gb-month": _ONE}


class Prices(Record):
    """Prices in US dollars by name, and the names without a price."""

    usd: Mapping[str, Decimal]
    unknown: Mapping[str, str]
    """Name → the reason why its price is not known."""


class ServiceItem(Record, kw_only=True):
    """One charge of an AWS service, instances excepted."""

    name: str
    unit: str
    service: str
    usage: str
    """Usage type without the prefix for the region."""
    filters: tuple[tuple[str, str], ...] = ()
    units: Mapping[str, Decimal]
    """Unit of the Price List in lower case → its size in units of this item."""


def _make_gp3_item(name: str, unit: str, usage: str, units: Mapping[str, Decimal]) -> ServiceItem:
    return ServiceItem(
        name=name, unit=unit, service="AmazonEC2", usage=usage, filters=(("volumeApiName", "gp3"),), units=units
    )


_NAT = (("productFamily", "NAT Gateway"),)
SERVICE_ITEMS = (
    ServiceItem(name="eks-cluster", unit="hour", service="AmazonEKS", usage="AmazonEKS-Hours:perCluster", units=_HOUR),
    ServiceItem(
        name="nat-gateway", unit="hour", service="AmazonEC2", usage="NatGateway-Hours", filters=_NAT, units=_HOUR
    ),
    ServiceItem(
        name="nat-gateway-data",
        unit="GB",
        service="AmazonEC2",
        usage="NatGateway-Bytes",
        filters=_NAT,
        units={"gb": _ONE},
    ),
    ServiceItem(name="interface-endpoint", unit="hour", service="AmazonVPC", usage="VpcEndpoint-Hours", units=_HOUR),
    _make_gp3_item("gp3-storage", "GB-month", "EBS:VolumeUsage.gp3", _GB_MONTH),
    _make_gp3_item("gp3-iops", "IOPS-month", "EBS:VolumeP-IOPS.gp3", {"iops-mo": _ONE}),
    _make_gp3_item(
        "gp3-throughput",
        "MiBps-month",
        "EBS:VolumeP-Throughput.gp3",
        {"gibps-mo": Decimal(1024), "mibps-mo": _ONE},
    ),
    ServiceItem(
        name="network-load-balancer",
        unit="hour",
        service="AWSELB",
        usage="LoadBalancerUsage",
        filters=(("productFamily", "Load Balancer-Network"),),
        units=_HOUR,
    ),
    ServiceItem(name="kms-key", unit="month", service="awskms", usage="KMS-Keys", units={"keys": _ONE, "key": _ONE}),
    ServiceItem(name="public-ipv4", unit="hour", service="AmazonVPC", usage="PublicIPv4:InUseAddress", units=_HOUR),
    ServiceItem(name="s3-storage", unit="GB-month", service="AmazonS3", usage="TimedStorage-ByteHrs", units=_GB_MONTH),
    ServiceItem(
        name="efs-storage", unit="GB-month", service="AmazonEFS", usage="TimedStorage-ByteHrs", units=_GB_MONTH
    ),
)


def read_on_demand_prices(connect: Connect, region: str, types: Iterable[str]) -> Prices:
    """Return hourly prices of instance types with Linux and no software; shared tenancy, dedicated for bare metal."""
    answers_by_name: dict[str, list[Decimal | str]] = {name: [] for name in types}
    for kind in _KINDS:
        for product in _read_products(connect, "AmazonEC2", region, {**_INSTANCES, **kind}):
            name = product["product"]["attributes"].get("instanceType", "")
            if name in answers_by_name:
                answers_by_name[name].append(_read_usd(product, _HOUR))
    return _resolve_prices(answers_by_name)


def read_service_prices(connect: Connect, region: str) -> Prices:
    """Return the price of every item of ``SERVICE_ITEMS`` in its own unit."""
    answers_by_name: dict[str, list[Decimal | str]] = {item.name: [] for item in SERVICE_ITEMS}
    for service, filters in dict.fromkeys((item.service, item.filters) for item in SERVICE_ITEMS):
        for product in _read_products(connect, service, region, dict(filters)):
            usage = product["product"]["attributes"].get("usagetype", "")
            for item in SERVICE_ITEMS:
                if (item.service, item.filters) == (service, filters) and _is_usage_type(usage, item.usage, region):
                    answers_by_name[item.name].append(_read_usd(product, item.units))
    return _resolve_prices(answers_by_name)


def _read_products(connect: Connect, service: str, region: str, filters: Mapping[str, str]) -> Iterator[Answer]:
    fields = [
        {"Type": "TERM_MATCH", "Field": field, "Value": value}
        for field, value in {"regionCode": region, **filters}.items()
    ]
    request = {"ServiceCode": service, "Filters": fields, "FormatVersion": "aws_v1"}
    pages = read_pages(connect, "pricing", PRICE_LIST_REGION, "get_products", **request)
    for page in pages:
        for text in page["PriceList"]:
            product: Answer = json.loads(text)
            yield product


def _is_usage_type(usage: str, wanted: str, region: str) -> bool:
    """Tell whether a usage type is the wanted usage type behind an optional prefix for the region.

    A comparison of endings would also match ``Regional`` gateways, Outposts and trust stores.
    """
    prefix = rf"(?:(?:EU|[A-Z]{{2,4}}\d+|{re.escape(region)})-)?"
    return re.fullmatch(prefix + re.escape(wanted), usage) is not None


def _read_usd(product: Answer, units: Mapping[str, Decimal]) -> Decimal | str:
    """Return a unit's on-demand price, or the reason why it has no price. The first tier that is not free counts."""
    terms = product["terms"].get("OnDemand", {}).values()
    tiers = [tier for term in terms for tier in term["priceDimensions"].values()]
    currencies = {currency for tier in tiers for currency in tier["pricePerUnit"]}
    if "USD" not in currencies:
        return f"priced in {', '.join(sorted(currencies))} only" if currencies else "not sold on demand"
    paid = [tier for tier in tiers if Decimal(tier["pricePerUnit"].get("USD", 0)) > 0]
    if not paid:
        return FREE
    first = min(paid, key=lambda tier: Decimal(tier.get("beginRange") or 0))
    scale = units.get(first["unit"].lower())
    return Decimal(first["pricePerUnit"]["USD"]) / scale if scale else f"priced per {first['unit']}"


def _resolve_prices(answers_by_name: Mapping[str, list[Decimal | str]]) -> Prices:
    """Keep each price on which all products of a name agree. If products differ, the price of the name is unknown."""
    usd: dict[str, Decimal] = {}
    unknown: dict[str, str] = {}
    for name, answers in answers_by_name.items():
        prices = {answer for answer in answers if isinstance(answer, Decimal)}
        reasons = sorted({answer for answer in answers if isinstance(answer, str)})
        if len(prices) == 1:
            usd[name] = prices.pop()
        elif prices:
            unknown[name] = (
                f"AWS lists {len(prices)} prices: {', '.join(format_plain(price) for price in sorted(prices))}"
            )
        else:
            unknown[name] = "; ".join(reasons) or UNLISTED
    return Prices(usd, unknown)


def format_plain(number: Decimal) -> str:
    """Write a number without exponent and without trailing zeros."""
    return format(number.normalize(), "f")
