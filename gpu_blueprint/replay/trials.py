"""Trials: the stack with one change after another, of which those stay that save."""

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
from .worth import Service, find_falls, find_saving, is_worth, measure_service

Parse = Callable[[Mapping[str, Any]], StackConfig]
"""Checks a stack object as `check` does, and raises StackError."""


class Step(Record):
    """A change that saves, on top of the steps before it."""

    edit: Edit
    served_before: Service
    served_after: Service

    @property
    def before(self) -> Outcome:
        """The numbers of the stack before it."""
        return self.served_before.outcome

    @property
    def after(self) -> Outcome:
        """The numbers of the stack with it."""
        return self.served_after.outcome

    @property
    def saving(self) -> float:
        """Part of the cost before it that it saves."""
        return find_saving(self.before, self.after)

    @property
    def unmeasured_jobs(self) -> int:
        """Jobs whose use is not known."""
        return len(self.served_after.unmeasured_shares)

    @property
    def doubtful_memories_gib(self) -> list[float]:
        """GPU memory of each job that may count on less than before, and whose need of it is not known."""
        return find_falls(self.served_before.memories_gib, self.served_after.memories_gib)


class Refusal(Record):
    """A change that was not replayed, since `check` refuses the stack with it."""

    edit: Edit
    reason: str


class Trial(Record, kw_only=True):
    """The steps that save, one on top of the other, and what was tried beside them."""

    steps: tuple[Step, ...]
    tried: int
    refusals: tuple[Refusal, ...]


class _State(Record):
    """A stack with the steps so far."""

    stack: Mapping[str, Any]
    replay: StackReplay
    service: Service


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
        reclaims: Chance in an hour that EC2 takes a spot node, as in ``replay``.
        subjects: Subjects of the changes to try; None for all.
    """
    edits = [edit for edit in list_edits(config, replay, load) if subjects is None or edit.subject in subjects]
    state, steps = _State(stack, replay, measure_service(replay)), list[Step]()
    first = state.service
    refusals: list[Refusal] = []
    tried = len(edits)
    while edits:
        states = [(edit, _apply(edit, state, load, parse, reclaims)) for edit in edits]
        if not steps:
            refusals = [Refusal(edit, found) for edit, found in states if isinstance(found, str)]
        before = state.service
        worth = [
            (edit, found)
            for edit, found in states
            if isinstance(found, _State) and is_worth(first, before, found.service)
        ]
        if not worth:
            break
        best, state = min(worth, key=lambda pair: pair[1].service.outcome.usd_a_day.known)
        steps.append(Step(best, before, state.service))
        edits = [edit for edit, _ in worth if edit is not best and not _clash(edit, best)]
    return Trial(steps=tuple(steps), tried=tried - len(refusals), refusals=tuple(refusals))


def _apply(edit: Edit, state: _State, load: Load, parse: Parse, reclaims: float) -> _State | str:
    """Return the stack with a change and its replay, or the reason why `check` refuses it."""
    changed = edit.apply(state.stack)
    try:
        config = parse(changed)
    except StackError as error:
        return str(next(iter(error.problems)))
    name = state.replay.name
    found = replay_stack(name, build_offers(config), load, reclaims_an_hour=reclaims, known=state.replay)
    return _State(changed, found, measure_service(found))


def _clash(edit: Edit, done: Edit) -> bool:
    """Return whether a change sets a field that a step has set, or a pool that a step has removed."""
    fields = {(pool.pool, name) for pool in done.pools for name in pool.fields}
    touched: Sequence[str] = (*(pool.pool for pool in edit.pools), *edit.merged)
    return bool(
        {(pool.pool, name) for pool in edit.pools for name in pool.fields} & fields
        or {*touched} & {*done.merged}
        or (edit.merged and done.merged)
    )
