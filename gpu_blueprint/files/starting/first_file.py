"""Make the first stack file: check the answers, choose the ceiling that the budget holds, and set the bounds."""

from math import ceil, floor

from ...catalog.prices import HOURS_A_MONTH
from ...checks.pools.sizes import find_sellable_size
from ...config import Pool, StackConfig
from ...config.pod_rooms import list_whole_pods
from ...cost.bounds import estimate_hourly_ceilings, estimate_monthly_expectations
from ...cost.money import Usd
from ...errors import StackError, UsageError
from ...records import Record, replace
from ..loading import Source
from ..loading.stack_file import check_source
from .ceiling import find_largest
from .flags import explain
from .text import Numbers, write_text
from .wish import MOST_GPUS, Wish, read_count

_ROUND_BUDGET = 10
"""Dollars to which a budget is rounded up that nobody gave."""


class FirstFile(Record):
    """A stack file without problems, and the reason for its ceiling."""

    text: str
    config: StackConfig
    note: str
    """The reason for the ceiling, and its cost."""


def make_first_file(wish: Wish, file: str) -> FirstFile:
    """Make the file.

    Args:
        wish: The answers.
        file: Path that the file will have.

    Raises:
        UsageError: It names every wrong answer with its flag, in a line each.
    """
    given = read_count(wish.max_gpus)
    mistakes, numbers = [*wish.find_mistakes()], Numbers(given or wish.step)
    try:
        numbers = _fit_pods(wish, numbers, file)
        config = _load(wish, numbers, file)
    except StackError as error:
        raise UsageError("\n".join([*mistakes, *explain(error.problems)])) from None
    if mistakes:
        raise UsageError("\n".join(mistakes))
    if wish.dollars:
        _refuse_small_budget(wish, numbers, config, file)
        most = given or find_largest(lambda gpus: _fits(wish, replace(numbers, max_gpus=gpus), file), wish.step)
        numbers = replace(numbers, max_gpus=most)
        config = _load(wish, numbers, file)
    month, hourly = _estimate_month(config), sum(estimate_hourly_ceilings(config).values(), start=Usd())
    numbers = replace(
        numbers,
        why_max_gpus="" if given else _say_why(wish),
        hourly_ceiling=None if hourly.unknown else ceil(hourly.known),
        monthly_budget=wish.dollars or (None if month.unknown else ceil(month.known / _ROUND_BUDGET) * _ROUND_BUDGET),
    )
    note = _say_numbers(wish, numbers.max_gpus, month, is_chosen=not given)
    numbers = _size_quota(wish, numbers, file)
    return FirstFile(write_text(wish, numbers), _load(wish, numbers, file), note)


def _fit_pods(wish: Wish, numbers: Numbers, file: str) -> Numbers:
    """Return the numbers with a smaller pod where nodes lack CPU or memory for the usual pod in each of their slots."""
    try:
        _load(wish, numbers, file)
    except StackError as error:
        if [problem.path for problem in error.problems] == [("pools", 0, "podSize")]:
            document = Source(write_text(wish, numbers), file)
            pool = Pool.model_validate(document.stack["pools"][0]).place(wish.region, "UTC")
            return replace(numbers, pod_size=find_sellable_size(pool))
    return numbers


def _size_quota(wish: Wish, numbers: Numbers, file: str) -> Numbers:
    """Return the numbers with a quota for a run on all GPUs of a pool for training, on nodes of any of its sizes."""
    if wish.purpose != "training" or wish.sharing_fields:
        return numbers
    try:
        config = _check(wish, replace(numbers, least_cpus=0, least_gib=0), file, bounded=False)
    except StackError:
        return numbers  # its reader names the problems
    runs = list_whole_pods(config, config.gpu_pools[0], numbers.max_gpus)
    cpu_milli, memory_mib = (max(pods * size.room[at] for pods, size in runs) for at in (0, 1))
    return replace(numbers, least_cpus=ceil(cpu_milli / 1000), least_gib=ceil(memory_mib / 1024))


def _load(wish: Wish, numbers: Numbers, file: str) -> StackConfig:
    return _check(wish, _size_quota(wish, numbers, file), file)


def _check(wish: Wish, numbers: Numbers, file: str, *, bounded: bool = True) -> StackConfig:
    return check_source(wish.environment, Source(write_text(wish, numbers), file), bounded=bounded).config


def _estimate_month(config: StackConfig) -> Usd:
    """Estimate a month as ``monthlyBudget`` counts it: expected, at the pool's capacity types."""
    return sum(estimate_monthly_expectations(config).values(), start=Usd())


def _fits(wish: Wish, numbers: Numbers, file: str) -> bool:
    try:
        _load(wish, replace(numbers, monthly_budget=wish.dollars), file)
    except StackError:
        return False
    return True


def _refuse_small_budget(wish: Wish, numbers: Numbers, config: StackConfig, file: str) -> None:
    """Refuse a budget below the cost of a ceiling, and a budget that cannot be compared with prices."""
    month, dollars = _estimate_month(config), wish.dollars or 0
    if month.unknown:
        unknown = ", ".join(sorted(month.unknown))
        if wish.max_gpus is None:
            raise UsageError(f"--budget: no price is known of {unknown}, so it cannot choose; give --max-gpus too")
    elif round(month.known - dollars, 2) > 0:
        use = f"{wish.hours:g} hours a month" if wish.hours else "all hours"
        what = f"{numbers.max_gpus} × {wish.gpu} in {wish.region}, running {use}, and the platform"
        reason = f"{what} cost {month.in_whole_dollars} a month, more than ${dollars:,.2f}"
        raise UsageError(f"--budget: {reason}; {'; '.join(_list_cheaper_ways(wish, numbers, month, file))}")


def _list_cheaper_ways(wish: Wish, numbers: Numbers, month: Usd, file: str) -> list[str]:
    """Return what costs less, or how much to allow."""
    ways = [f"{'allow' if wish.max_gpus else 'the least is'} --budget {ceil(month.known)}"]
    dollars = wish.dollars or 0
    if fewer := find_largest(
        lambda gpus: _fits(wish, replace(numbers, max_gpus=gpus), file), wish.step, numbers.max_gpus
    ):
        ways.append(f"or lower --max-gpus to {fewer}")
    for purchase in ("spot", "spot,on-demand"):
        if "spot" not in wish.purchase and (spot := _try(replace(wish, purchase=purchase), numbers, file)):
            ways.append(f"with --purchase {purchase} it is --budget {ceil(spot.known)}")
            break
    if idle := _try(replace(wish, expected_hours="0.001"), numbers, file):
        hours = floor((wish.hours or HOURS_A_MONTH) * (dollars - idle.known) / (month.known - idle.known))
        if hours >= 1:
            ways.append(f"with --expected-hours {hours} it fits")
        elif dollars < idle.known:
            ways.append(f"the platform without any GPU costs {Usd(idle.known).in_whole_dollars}")
    return ways


def _try(wish: Wish, numbers: Numbers, file: str) -> Usd | None:
    """Estimate another wish; None if its file has problems or unknown prices."""
    try:
        month = _estimate_month(_load(wish, numbers, file))
    except StackError:
        return None
    return None if month.unknown else month


def _say_why(wish: Wish) -> str:
    if not wish.dollars:
        return "the smallest node"
    use = "in their expected hours" if wish.hours else "with all of them at work in all hours"
    return f"the most that the budget holds {use}"


def _say_numbers(wish: Wish, gpus: int, month: Usd, *, is_chosen: bool) -> str:
    use = f"{wish.hours:g} hours a month" if wish.hours else "in all hours"
    cost = f"expected to cost {month.in_whole_dollars} a month with all GPUs at work {use}"
    if not is_chosen:
        return f"maxGpus {gpus}: {cost}"
    if gpus + wish.step > MOST_GPUS:
        why = "the most that a pool may have"
    elif wish.dollars:
        why = f"the most that ${wish.dollars:,.0f} a month hold"
    else:
        why = "the smallest node; give --budget for more"
    return f"maxGpus {gpus}: {why}, {cost}"
