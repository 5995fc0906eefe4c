"""The whole estimate of a stack, as values and as one JSON document."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic.alias_generators import to_camel

from ..catalog import prices
from ..config import Pool, StackConfig
from .commitments import Advice, advice
from .items import Item
from .money import Cost, Spend, Usd
from .platform import platform_items
from .pool_cost import Use, spot_share
from .pools import ON_DEMAND, cost_of, expected_use, kept, shares_of_a_gpu, terms_of, usable
from .tenants import tenant_shares

CASES = ("floor", "expected", "ceiling")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolEstimate:
    """One pool: at list prices, and as it buys; ``slices`` is what one of an extended resource costs an hour, expected and at most."""

    name: str
    on_demand: Cost
    as_bought: Cost
    use: Use
    use_said: bool
    """Whether the stack file says how much is expected."""
    slices: Mapping[str, tuple[Usd, Usd]]

    @property
    def cost(self) -> Cost:
        """What to reckon with: idle and expected as bought, at most on demand."""
        return reckoned(self.on_demand, self.as_bought)


def reckoned(on_demand: Cost, as_bought: Cost) -> Cost:
    """Idle and expected as bought; at most on demand, since spot runs dry when everybody wants it."""
    return Cost(as_bought.floor, as_bought.expected, on_demand.ceiling)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a stack costs; every sum of ``platform`` and ``pools`` is in ``on_demand`` and ``as_bought``."""

    stack: str
    region: str
    items: list[Item]
    platform: Cost
    pools: list[PoolEstimate]
    on_demand: Cost
    as_bought: Cost
    tenants: dict[str, Cost]
    """The pools' reckoned costs by quota; the last entry is what no tenant's quota covers."""
    advice: list[Advice]
    as_of: date | None
    """Day of the oldest price of an instance in it; None if none is known."""
    assumptions: list[str]

    @property
    def cost(self) -> Cost:
        """What to reckon with."""
        return reckoned(self.on_demand, self.as_bought)

    @property
    def unknown(self) -> list[str]:
        """What has no known price."""
        return sorted(self.on_demand.ceiling.hour.unknown | self.as_bought.ceiling.hour.unknown)


def estimate(stack: StackConfig) -> Estimate:
    """Work out what a stack costs."""
    items = platform_items(stack)
    platform = Cost.total(one.cost for one in items)
    pools = [_pool(stack, pool) for pool in stack.pools]
    read = list(_prices_read(stack))
    return Estimate(
        stack=stack.cluster_name,
        region=stack.region,
        items=items,
        platform=platform,
        pools=pools,
        on_demand=Cost.total([platform, *(pool.on_demand for pool in pools)]),
        as_bought=Cost.total([platform, *(pool.as_bought for pool in pools)]),
        tenants=tenant_shares(stack, {pool.name: pool.cost for pool in pools}),
        advice=[advice(stack, pool) for pool in stack.pools],
        as_of=min((price.as_of for price in read), default=None),
        assumptions=list(_assumptions(stack)),
    )


def _pool(stack: StackConfig, pool: Pool) -> PoolEstimate:
    on_demand = cost_of(stack, pool, ON_DEMAND)
    as_bought = cost_of(stack, pool, terms_of(stack, pool))
    use, most = expected_use(stack, pool), usable(stack, pool)
    never = Usd(unknown=frozenset({f"use of {pool.name}"}))
    expected = as_bought.expected.month * (1 / (use.gpus * use.hours)) if use.average else never
    dearest = on_demand.ceiling.hour * (1 / most) if most else Usd()
    names = pool.profile.units
    slices = {names[unit]: (expected * share, dearest * share) for unit, share in shares_of_a_gpu(pool).items()}
    return PoolEstimate(
        name=pool.name,
        on_demand=on_demand,
        as_bought=as_bought,
        use=use,
        use_said=not pool.says_no_expectation,
        slices=slices,
    )


def _prices_read(stack: StackConfig) -> Iterator[prices.Price]:
    """The prices of instances, which are nearly all of the money."""
    names = {row.instance_type for pool in stack.pools for row in stack.instances_of(pool)}
    for name in {*names, stack.cluster.system_nodes.instance_types[0]}:
        if price := prices.on_demand(name, stack.region):
            yield price


def _assumptions(stack: StackConfig) -> Iterator[str]:
    silent = [pool.name for pool in stack.pools if pool.says_no_expectation]
    if silent:
        yield f"{', '.join(silent)}: nothing says how much is used, so the whole ceiling runs in all hours (expectedHours, expectedUtilization)"
    families = dict.fromkeys(
        row.family for pool in stack.pools if "spot" in pool.purchase for row in stack.instances_of(pool)
    )
    shares = [f"{family} {share:g}" for family in families if (share := spot_share(family, stack.costs.spot_share))]
    if shares:
        yield f"spot costs this share of on-demand, and is to be had: {', '.join(shares)} (costs.spotShare)"
    plan = stack.costs.savings_plan
    if plan:
        yield f"a Savings Plan covers {plan.coverage:.0%} of what is not spot and takes {plan.discount:.0%} off; what the plan costs when nothing runs is not in idle"
    yield "nodes are of the cheapest type as expected, of the dearest on demand at most; a month has 730 hours"
    for pool in stack.pools:
        if pool.hours:
            held = ", but what runs then goes on, so «at most» counts every hour" if pool.holds_jobs else ""
            yield f"{pool.name} is open {pool.hours_per_month:.0f} hours a month ({pool.hours}){held}; idle/h and at most/h are of open hours"
        if pool.headroom:
            yield f"{pool.name} keeps {_gpus(kept(stack, pool, terms_of(stack, pool)).warm)} warm beside those at work, in all its hours (headroom)"
        if (least := kept(stack, pool, terms_of(stack, pool)).at_work) > 0:
            yield f"{pool.name} runs {_gpus(least)} at least, in all its hours (replicas.min of services)"
    nat = prices.service("nat-gateway-data", stack.region)
    through = f" (through NAT ${nat.usd:g} per GB)" if nat else ""
    yield f"not in it: data transfer{through}, logs, volumes of pods, support, taxes"


def _gpus(count: float) -> str:
    return f"{count:g} GPU{'' if count == 1 else 's'}"


def as_json(found: Estimate) -> dict[str, Any]:
    """The estimate as one document; dollars with two digits, null where a price is not known."""
    return {
        "stack": found.stack,
        "region": found.region,
        "currency": "USD",
        "pricesAsOf": found.as_of.isoformat() if found.as_of else None,
        "total": {"asBought": _cost(found.as_bought), "onDemand": _cost(found.on_demand)},
        "platform": {
            **_cost(found.platform),
            "items": [{"name": one.name, "count": one.count, "usdPerHour": _exact(one.hour, 4)} for one in found.items],
        },
        "pools": [_pool_json(pool) for pool in found.pools],
        "tenants": [{"name": name, **_cost(cost)} for name, cost in found.tenants.items()],
        "advice": [one.as_json() for one in found.advice],
        "assumptions": found.assumptions,
        "unknownPrices": found.unknown,
    }


def _pool_json(pool: PoolEstimate) -> dict[str, Any]:
    return {
        "name": pool.name,
        "asBought": _cost(pool.as_bought),
        "onDemand": _cost(pool.on_demand),
        "expectedUse": {"gpus": round(pool.use.gpus, 2), "hoursPerMonth": round(pool.use.hours, 1), "said": pool.use_said},
        "perUnitHour": {
            unit: {"expected": _exact(expected, 4), "ceiling": _exact(most, 4)}
            for unit, (expected, most) in pool.slices.items()
        },
    }  # fmt: skip


def _cost(cost: Cost) -> dict[str, Any]:
    return {to_camel(case): _spend(getattr(cost, case)) for case in CASES}


def _spend(spend: Spend) -> dict[str, float | None]:
    return {"hour": spend.hour.exact, "month": spend.month.exact}


def _exact(usd: Usd, digits: int) -> float | None:
    return None if usd.unknown else round(usd.known, digits)
