"""The result of ``replay --try``: each change that saves, as lines of YAML with its evidence."""

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from ...replay.edits import Edit
from ...replay.outcome import Outcome
from ...replay.trials import LEAST_SAVING, Step, Trial, find_saving
from ...yaml_text.flow import write_flow
from .replay import write_cost, write_share, write_wait
from .tables import make_console, show_words, wrap_words

_INDENT = "   "


def show_trial(trial: Trial) -> None:
    """Print the steps of a trial, each on top of the steps before it."""
    out = make_console()
    out.print(Text(f"\nChanges that save more than {LEAST_SAVING:.0%}, each on top of those above it", style="bold"))
    for number, step in enumerate(trial.steps, 1):
        saving = f"saves {step.saving:.1%}, {step.before.usd_a_day} to {step.after.usd_a_day} a day"
        out.print(Text(f"\n{number}. {step.edit.title}: {saving}"))
        out.print(Text("\n".join(f"{_INDENT}{line}" for line in list_yaml(step.edit))), soft_wrap=True)
        for line in list_evidence(step):
            out.print(Text("\n".join(wrap_words(line, out.width, _INDENT, _INDENT))), soft_wrap=True)
    out.print()
    show_words(out, _summarize(trial))
    for refusal in trial.refusals:
        show_words(out, f"Not tried, since check refuses it: {refusal.edit.title}: {refusal.reason}")


def trial_as_json(trial: Trial) -> dict[str, Any]:
    """Return the trial for programs."""
    return {
        "tried": trial.tried,
        "steps": [
            {
                "title": step.edit.title,
                "subject": step.edit.subject,
                "saving": round(step.saving, 4),
                "yaml": "\n".join(list_yaml(step.edit)),
                "condition": step.edit.condition,
                "after": step.after.as_json(),
            }
            for step in trial.steps
        ],
        "refused": [{"title": refusal.edit.title, "reason": refusal.reason} for refusal in trial.refusals],
    }


def list_yaml(edit: Edit) -> Iterator[str]:
    """Yield the lines of a stack file that a change sets, and comments for what it removes."""
    yield "pools:"
    for pool in edit.pools:
        yield f"  - name: {pool.pool}"
        for name, value in pool.fields.items():
            yield f"    # without {name}" if value is None else f"    {name}: {_write(value)}"
    for name in edit.merged:
        yield f"  # without the pool {name}"
    if edit.grants:
        yield "tenants:"
    for grant in edit.grants:
        yield f"  - name: {grant.tenant}"
        yield f"    gpus: {write_flow({grant.pool: grant.units})}"


def _write(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else write_flow(value)


def list_evidence(step: Step) -> Iterator[str]:
    """Yield what changes beside the cost, and what the jobs must do for it."""
    before, after = step.before, step.after
    pairs = [
        ("GPU used", write_share(before.used), write_share(after.used)),
        ("work unserved", write_share(before.unserved), write_share(after.unserved)),
        ("wait, p95", write_wait(before.wait_p95_s), write_wait(after.wait_p95_s)),
        ("evictions", f"{before.evictions_a_day:.1f}", f"{after.evictions_a_day:.1f}"),
    ]
    yield "; ".join(f"{name} {old} to {new}" if old != new else f"{name} {old} as before" for name, old, new in pairs)
    if step.edit.condition:
        yield f"condition: {step.edit.condition}"


def _summarize(trial: Trial) -> str:
    if not trial.steps:
        return f"None of {trial.tried} changes saves more than {LEAST_SAVING:.0%} without leaving work undone."
    first, last = trial.steps[0].before, trial.steps[-1].after
    return (
        f"{len(trial.steps)} of {trial.tried} changes together save {find_saving(first, last):.1%}: "
        f"{_write_day(first)} becomes {_write_day(last)} a day. A change that leaves more work undone, or that lets "
        "more jobs lack GPU memory, is not among them."
    )


def _write_day(outcome: Outcome) -> str:
    return write_cost(outcome, outcome)
