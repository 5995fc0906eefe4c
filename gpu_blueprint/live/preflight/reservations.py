"""Is the reserved capacity there, as the file says?"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...config import StackConfig
from ...config.buying import Reservation
from .answers import Account, Finding, Question, RefusedError, Status

_COMING = ("pending", "scheduled", "payment-pending", "assessing", "delayed")
_GONE = ("InvalidCapacityReservationId.NotFound", "InvalidCapacityReservationId.Malformed")


def questions(stack: StackConfig) -> Iterator[Question]:
    """Ask for each by itself: EC2 has no filter by id, and one unknown id fails a call for several."""
    for one in stack.reservations:
        yield Question(check="reservations", subject=one.id, ask=partial(_reservation, stack, one))


def _reservation(stack: StackConfig, said: Reservation, account: Account) -> list[Finding]:
    try:
        answer = account.ask("ec2", "DescribeCapacityReservations", CapacityReservationIds=[said.id])
    except RefusedError as refusal:
        if refusal.code not in _GONE:
            raise
        answer = {}
    found = next(iter(answer.get("CapacityReservations", [])), None)
    if found is None:
        return [_finding(said, Status.FAIL, f"is not in this account and {stack.region}", "correct its id")]
    wrong = [*_wrong(said, found)]
    unwise = [*_unwise(said, found)]
    remedy = f"correct reservations in the stack file, or the reservation {said.id}"
    if wrong:
        return [_finding(said, Status.FAIL, "; ".join(wrong + unwise), remedy)]
    if unwise:
        return [_finding(said, Status.WARN, "; ".join(unwise), remedy)]
    kind = "Capacity Block" if found.get("ReservationType") == "capacity-block" else "reservation"
    until = f"until {_end(found)}" if _end(found) else "without end"
    free = found.get("AvailableInstanceCount", 0)
    text = f"active {kind} of {said.instances} × {said.instance_type} in {said.zone}, {free} free, {until}"
    return [_finding(said, Status.PASS, text, "")]


def _wrong(said: Reservation, found: dict[str, Any]) -> Iterator[str]:
    """What keeps nodes from launching into it."""
    if found.get("State") not in ("active", *_COMING):
        yield f"is {found.get('State')}"
    if found.get("InstanceType") != said.instance_type:
        yield f"reserves {found.get('InstanceType')}, the file says {said.instance_type}"
    if found.get("AvailabilityZone") != said.zone:
        yield f"is in {found.get('AvailabilityZone')}, the file says {said.zone}"
    if found.get("TotalInstanceCount", 0) < said.instances:
        yield f"holds {found.get('TotalInstanceCount', 0)} instances, the file says {said.instances}"
    if said.ends and _end(found) and _end(found) < said.ends.isoformat():
        yield f"ends on {_end(found)}, the file says {said.ends}"
    if found.get("Tenancy", "default") != "default":
        yield f"is for {found['Tenancy']} tenancy, nodes run on shared hardware"
    if found.get("InstancePlatform", "Linux/UNIX") != "Linux/UNIX":
        yield f"is for {found['InstancePlatform']}, nodes run Linux/UNIX"
    tags = {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])}
    missing = sorted(f"{key}={value}" for key, value in (said.tags or {}).items() if tags.get(key) != value)
    if missing:
        yield f"lacks the tags {', '.join(missing)}, by which pools select it"


def _unwise(said: Reservation, found: dict[str, Any]) -> Iterator[str]:
    """What is to be known: it comes later, holds more, or ends otherwise than said."""
    if found.get("State") in _COMING:
        start = found.get("StartDate")
        yield f"is {found['State']}" + (f", starts {start:%Y-%m-%d %H:%M} UTC" if start else "")
    if found.get("TotalInstanceCount", 0) > said.instances:
        yield f"holds {found['TotalInstanceCount']} instances, the file uses {said.instances}: the rest is paid and idle"
    if _end(found) and said.ends is None:
        yield f"ends on {_end(found)}, the file says no end: write ends"
    block = found.get("ReservationType", "default") == "capacity-block"
    if said.capacity_block and not block:
        yield "is no Capacity Block, so it counts against Running On-Demand, which the quotas above leave out: remove capacityBlock"
    if block and not said.capacity_block:
        yield "is a Capacity Block, which the file does not say: write capacityBlock: true"
    if said.ends and (not _end(found) or _end(found) > said.ends.isoformat()):
        yield f"ends {f'on {_end(found)}' if _end(found) else 'never by itself'}, the file says {said.ends}"


def _end(found: dict[str, Any]) -> str:
    """The day it ends, in UTC; empty where it does not."""
    end = found.get("EndDate")
    return f"{end:%Y-%m-%d}" if end else ""


def _finding(said: Reservation, status: Status, message: str, remedy: str) -> Finding:
    return Finding(check="reservations", subject=said.id, status=status, message=message, remedy=remedy)
