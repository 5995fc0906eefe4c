"""Are the instance types offered in the zones where they shall launch?"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from ...config import StackConfig
from ...config.network import STABLE_ZONES
from .answers import Account, Finding, Question, Status


def questions(stack: StackConfig) -> Iterator[Question]:
    """Ask once for every type, in all zones."""
    yield Question(check="types in zones", subject="all pools", ask=partial(_offerings, stack))


def _wanted(stack: StackConfig) -> Iterator[tuple[str, list[str], list[str]]]:
    """Who launches which types in which zones."""
    yield "system nodes", stack.cluster.system_nodes.instance_types, list(stack.network.zones)[:STABLE_ZONES]
    for pool in stack.pools:
        yield pool.name, [row.instance_type for row in stack.instances_of(pool)], stack.zones_of(pool)


def _offerings(stack: StackConfig, account: Account) -> list[Finding]:
    wanted = list(_wanted(stack))
    names = sorted({name for _, types, _ in wanted for name in types})
    answer = account.ask(
        "ec2",
        "DescribeInstanceTypeOfferings",
        LocationType="availability-zone",
        Filters=[{"Name": "instance-type", "Values": names}],
    )
    offered = {(one["InstanceType"], one["Location"]) for one in answer.get("InstanceTypeOfferings", [])}
    return [_finding(who, types, zones, offered) for who, types, zones in wanted]


def _finding(who: str, types: Sequence[str], zones: Sequence[str], offered: set[tuple[str, str]]) -> Finding:
    nowhere = [name for name in types if not any((name, zone) in offered for zone in zones)]
    empty = [zone for zone in zones if not any((name, zone) in offered for name in types)]
    status, remedy = Status.PASS, ""
    if len(nowhere) == len(types):
        elsewhere = sorted({zone for name, zone in offered if name in types})
        status = Status.FAIL
        message = f"{_list(types)}: not offered in {_list(zones)}, so nothing can launch"
        remedy = f"they are in {_list(elsewhere)}" if elsewhere else "the account has them in no zone of the region"
    elif nowhere or empty:
        status = Status.WARN
        message = "; ".join(
            [f"{_list(nowhere)} in none of its zones"] * bool(nowhere)
            + [f"nothing offered in {_list(empty)}"] * bool(empty)
        )
        remedy = "leave them out, or name zones that have them: fewer offerings than the file seems to say"
    else:
        some = [name for name in types if not all((name, zone) in offered for zone in zones)]
        message = f"{len(types)} type{'s' * (len(types) > 1)} in {_list(zones)}"
        message += f" ({_list(some)} not in every zone)" if some else ""
    return Finding(check="types in zones", subject=who, status=status, message=message, remedy=remedy)


def _list(names: Iterable[str], most: int = 6) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
