"""Trials: try changes of a stack, keep the one that saves most, and try the others on top of it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..config import StackConfig
from ..errors import StackError
from ..records import Record
from .edits import Edit, Subject, list_edits
from .jobs import Load
from .offers import build_offers
from .outcome import Outcome
from .run import StackReplay, replay_stack

LEAST_SAVING = 0.02
"""Fraction of the cost that a change must save to be kept."""
MOST_MORE_UNSERVED = 0.01
"""Fraction of the wanted work that a change may leave undone in addition."""
Parse = Callable[[Mapping[str, Any]], StackConfig]
"""Checks a stack object as `check` does, and raises StackError."""


class Step(Record):
    """A change that saves, on top of the steps before it."""

    edit: Edit
    before: Outcome
    after: Outcome

    @property
    def saving(self) -> float:
        """Fraction of the cost before the change that it saves."""
        return find_saving(self.before, self.after)


class Refusal(Record):
    """A change that was not replayed, because `check` refuses the changed stack."""

    edit: Edit
    reason: str


class Trial(Record, kw_only=True):
    """The steps that save, each on top of those before it; the number of replayed changes; and the refused ones."""

    steps: tuple[Step, ...]
    tried: int
    refusals: tuple[Refusal, ...]


class _State(Record):
    """A stack with the steps so far."""

    stack: Mapping[str, Any]
    replay: StackReplay


def find_saving(before: Outcome, after: Outcome) -> float:
    """Return the fraction of the cost that a change saves; 0 if a price is not known."""
    if before.usd_a_day.unknown or after.usd_a_day.unknown or not before.usd_a_day.known:
        return 0.0
    return 1 - after.usd_a_day.known / before.usd_a_day.known


def is_worth(before: Outcome, after: Outcome) -> bool:
    """Return whether a change saves enough, and does so without more undone work or more jobs that lack GPU memory."""
    if find_saving(before, after) <= LEAST_SAVING or after.refused_jobs_a_day > before.refused_jobs_a_day:
        return False
    if after.tight_a_day > before.tight_a_day:
        return False
    if before.unserved is None or after.unserved is None:
        return after.waiting_a_day <= before.waiting_a_day
    return after.unserved - before.unserved <= MOST_MORE_UNSERVED


def try_edits(
    stack: Mapping[str, Any],
    config: StackConfig,
    replay: StackReplay,
    load: Load,
    parse: Parse,
    reclaims: float,
    subjects: Collection[Subject] | None = None,
) -> Trial:
    """Replay a stack with each change; keep the best, and try the others on top of it, until no change saves.

    Args:
        stack: The object under ``gpu-blueprint:stack``.
        config: The same, checked.
        replay: Its replay.
        load: The jobs.
        parse: Checks a changed object.
        reclaims: Chance that EC2 takes a spot node back within an hour, the same as in ``replay``.
        subjects: Subjects of the changes to try; None for all.
    """
    edits = [edit for edit in list_edits(config, replay, load) if subjects is None or edit.subject in subjects]
    state, steps = _State(stack, replay), list[Step]()
    refusals: list[Refusal] = []
    tried = len(edits)
    while edits:
        states = [(edit, _apply(edit, state, load, parse, reclaims)) for edit in edits]
        if not steps:
            refusals = [Refusal(edit, found) for edit, found in states if isinstance(found, str)]
        before = state.replay.total
        worth = [
            (edit, found)
            for edit, found in states
            if isinstance(found, _State) and is_worth(before, found.replay.total)
        ]
        if not worth:
            break
        best, state = min(worth, key=lambda pair: pair[1].replay.total.usd_a_day.known)
        steps.append(Step(best, before, state.replay.total))
        edits = [edit for edit, _ in worth if edit is not best and not _clash(edit, best)]
    return Trial(steps=tuple(steps), tried=tried - len(refusals), refusals=tuple(refusals))


def _apply(edit: Edit, state: _State, load: Load, parse: Parse, reclaims: float) -> _State | str:
    """Return the changed stack with its replay, or the reason why `check` refuses it."""
    changed = edit.apply(state.stack)
    try:
        config = parse(changed)
    except StackError as error:
        return str(next(iter(error.problems)))
    name = state.replay.name
    return _State(
        changed, replay_stack(name, build_offers(config), load, reclaims_an_hour=reclaims, known=state.replay)
    )


def _clash(edit: Edit, done: Edit) -> bool:
    """Return whether a change no longer fits after a step: both set a field, or merge pools, or its pool is gone."""
    fields = {(pool.pool, name) for pool in done.pools for name in pool.fields}
    touched: Sequence[str] = (*(pool.pool for pool in edit.pools), *edit.merged)
    return bool(
        {(pool.pool, name) for pool in edit.pools for name in pool.fields} & fields
        or {*touched} & {*done.merged}
        or (edit.merged and done.merged)
    )
