"""The changes of small stacks, and trials of them."""

from typing import Any

from gpu_blueprint.config import StackConfig
from gpu_blueprint.files.loading import parse
from gpu_blueprint.replay import Load, replay_stack
from gpu_blueprint.replay.edits import Edit, list_edits
from gpu_blueprint.replay.offers import build_offers
from gpu_blueprint.replay.trials import Trial, try_edits

from .builders import stack
from .replays import job, load


def check(changed: Any) -> StackConfig:
    """Check a stack in us-east-1."""
    return parse(changed, "us-east-1")


def find_edits(*pools: dict[str, Any], jobs: Any = None, **overrides: Any) -> dict[str, Edit]:
    """Return the changes of a stack on a load, by their titles; by default the load has a job for each pool."""
    config = check(stack(pools=[*pools], **overrides))
    jobs = jobs or load(*(job(purpose=own["purpose"]) for own in pools))
    found = replay_stack("test", build_offers(config), jobs)
    return {edit.title: edit for edit in list_edits(config, found)}


def run_trial(*pools: dict[str, Any], jobs: Load, **overrides: Any) -> Trial:
    """Return the trial of a stack on a load."""
    original = stack(pools=[*pools], **overrides)
    found = replay_stack("test", build_offers(check(original)), jobs)
    return try_edits(original, check(original), found, jobs, check, 0.0)
