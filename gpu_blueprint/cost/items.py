"""What a platform pays for by the piece: control plane, gateways, disks."""

from dataclasses import dataclass

from ..catalog import prices
from ..catalog.prices import HOURS_A_MONTH
from .money import Cost, Spend, Usd

_FREE_IOPS, _FREE_THROUGHPUT = 3000, 125
"""What each gp3 volume brings without further charge; throughput in MiB/s."""


@dataclass(frozen=True, slots=True)
class Item:
    """So many of one thing, and what all of them cost an hour, usually and at most."""

    name: str
    count: int
    hour: Usd
    most: Usd | None = None

    @property
    def cost(self) -> Cost:
        """The same in every hour."""
        usual = Spend.always(self.hour)
        return Cost(usual, usual, Spend.always(self.most or self.hour))


def item(name: str, key: str, region: str, count: int = 1) -> Item:
    """So many of an item of service_prices.csv that is billed by the hour or the month."""
    price = prices.service(key, region)
    hours = HOURS_A_MONTH if price and price.unit == "month" else 1
    return Item(name, count, _service(key, region) * (count / hours))


def disk(region: str, *, gib: int, iops: int = _FREE_IOPS, throughput: int = _FREE_THROUGHPUT) -> Usd:
    """Dollars an hour of a gp3 volume."""
    month = _service("gp3-storage", region) * gib
    month += _service("gp3-iops", region) * max(iops - _FREE_IOPS, 0)
    month += _service("gp3-throughput", region) * max(throughput - _FREE_THROUGHPUT, 0)
    return month * (1 / HOURS_A_MONTH)


def machine(instance_type: str, region: str) -> Usd:
    """Dollars an hour of an instance, on demand."""
    price = prices.on_demand(instance_type, region)
    return Usd(price.usd) if price else Usd(unknown=frozenset({f"{instance_type} in {region}"}))


def _service(key: str, region: str) -> Usd:
    price = prices.service(key, region)
    return Usd(price.usd) if price else Usd(unknown=frozenset({f"{key} in {region}"}))
