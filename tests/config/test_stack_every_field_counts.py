"""Each field of a stack file changes what is built, or at least what is refused or warned of: none is for decoration.

A new field needs an entry here; without one, and without an effect, it has no place in the file.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, get_args

import pytest

from gpu_blueprint.checks import find_warnings
from gpu_blueprint.config import StackConfig
from gpu_blueprint.cost import estimate
from gpu_blueprint.cost.estimate import as_json
from gpu_blueprint.judging.report import Placed
from gpu_blueprint.judging.verdicts import findings, levels_file, read_levels
from gpu_blueprint.loading import parse
from gpu_blueprint.model import Model
from policies import Waiver

from ..support import builders
from ..support.field_effects import CHANGES, COUPLED, JUDGED, PRICED, Stack
from ..support.field_effects_pools import POOLS
from ..support.plans import Plan, plan_of

TODAY = date(2026, 11, 20)


def leaves(model: type[Model], place: str = "") -> Iterator[str]:
    """The place of every field that holds no further model, such as ``network<NewVpc>.cidr`` and ``pools[].gpu``."""
    for name, field in model.model_fields.items():
        models = _models_in(field.annotation)
        here = f"{place}.{field.alias or name}".lstrip(".")
        for inner in models:
            branch = f"<{inner.__name__}>" if len(models) > 1 else ""
            yield from leaves(inner, f"{here}{'[]' if 'list[' in str(field.annotation) else ''}{branch}")
        if not models:
            yield here


def _models_in(annotation: Any) -> list[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]


def plain(place: str) -> str:
    """A place without the names of models."""
    return re.sub(r"<\w+>", "", place)


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Where two stack objects differ."""
    one, other = ({} if half is None and dict in map(type, (one, other)) else half for half in (one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            yield from differences(one.get(key), other.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for first, second in zip(one, other, strict=True):
            yield from differences(first, second, f"{place}[]")
    elif one != other:
        yield place


def elsewhere(place: str, found: list[str]) -> list[str]:
    """The differences that lie outside a place and what must change with it."""
    allowed = (plain(place), *COUPLED.get(place, ()))
    return [where for where in found if not any(f"{where}.".startswith((f"{one}.", f"{one}[")) for one in allowed)]


def seen(planned: Plan, pool: str = "") -> dict[str, Any]:
    """Inputs and options of everything, or of what belongs to one pool."""
    own = (f"::{pool}", f"-headroom-{pool}")
    found = [found for found in planned if not pool or found.parent.endswith(own[0]) or found.name.endswith(own[1])]
    assert found
    return {resource.urn: (dict(resource.inputs), dict(resource.options)) for resource in found}


def pool_name(place: str) -> str:
    return re.sub(r"[^a-z]+", "-", place.removeprefix("pools[].").lower()).strip("-")


def with_all_pools(side: int) -> Stack:
    """One stack with a pool for each field of pools; side 0 before, 1 after the change of all of them."""
    pools = [builders.pool(**{**pair[side], "name": pool_name(place)}) for place, pair in POOLS.items()]
    reserved = {"instanceType": "p5.48xlarge", "zone": "us-east-1a", "instances": 1}
    reservations = [{**reserved, "id": f"cr-0a1b2c3d{end}", "tags": {"team": end}} for end in "ab"]
    return builders.stack(pools=pools, reservations=reservations), "us-east-1"


def verdict(stack: Stack) -> list[str]:
    """What is refused in a stack, else what is warned of and what the policies find."""
    problems = builders.problems(stack[1], **stack[0])
    return problems or [*map(str, find_warnings(parse(*stack), TODAY)), *policy_findings(stack)]


def policy_findings(stack: Stack) -> list[str]:
    """What the policies say where there are exceptions to them."""
    config = parse(*stack)
    waivers = [Waiver(**waiver.model_dump()) for waiver in config.waivers]
    if not waivers:
        return []
    levels = read_levels(levels_file("prod"))
    return [str(Placed(found, "", 0)) for found in findings(plan_of(*stack), levels, waivers, TODAY)]


def test_every_field_has_an_entry_and_every_entry_a_field() -> None:
    assert sorted({*CHANGES, *POOLS, *JUDGED, *PRICED}) == sorted(set(leaves(StackConfig)))
    assert len(CHANGES) + len(POOLS) + len(JUDGED) + len(PRICED) == len({*CHANGES, *POOLS, *JUDGED, *PRICED})


def test_names_of_the_pools_tell_the_fields_apart() -> None:
    assert len({pool_name(place) for place in POOLS}) == len(POOLS)


@pytest.mark.parametrize("place", [*CHANGES, *JUDGED, *PRICED])
def test_a_pair_of_stacks_differs_in_one_field_only(place: str) -> None:
    one, other = {**CHANGES, **JUDGED, **PRICED}[place]
    found = [*differences(one[0], other[0]), *(["region"] if one[1] != other[1] else [])]
    assert found and not elsewhere(place, found)


@pytest.mark.parametrize("place", POOLS)
def test_a_pair_of_pools_differs_in_one_field_only(place: str) -> None:
    one, other = POOLS[place]
    found = [f"pools[].{where}" for where in differences(one, other)]
    assert found and not elsewhere(place, found)


@pytest.mark.parametrize("place", CHANGES)
def test_a_field_changes_the_plan(place: str) -> None:
    one, other = CHANGES[place]
    assert seen(plan_of(*one)) != seen(plan_of(*other))


@pytest.mark.parametrize("place", POOLS)
def test_a_field_of_a_pool_changes_what_the_pool_becomes(place: str) -> None:
    before, after = (seen(plan_of(*with_all_pools(side)), pool_name(place)) for side in (0, 1))
    assert before != after


@pytest.mark.parametrize("place", JUDGED)
def test_a_field_that_builds_nothing_changes_what_is_said_about_the_stack(place: str) -> None:
    one, other = JUDGED[place]
    assert verdict(one) != verdict(other)


@pytest.mark.parametrize("place", PRICED)
def test_a_field_of_the_estimate_changes_what_the_stack_costs(place: str) -> None:
    one, other = (as_json(estimate(parse(*stack))) for stack in PRICED[place])
    assert one["total"] != other["total"]
