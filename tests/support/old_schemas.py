"""Migrations that only tests have: no release has renamed a field yet."""

import pytest

from gpu_blueprint.files.loading import migrations
from gpu_blueprint.files.loading.migrations import Migration, Rename

CEILING = Migration(
    steps=(Rename(("pools", "*", "maxGpu"), "maxGpus"), Rename(("team",), "owner")),
    effect="none",
    because="the fields mean the same under both names",
)
"""From a made-up schema 1, in which two fields had other names."""
WINDOW = Migration(
    steps=(Rename(("pools", "*", "disruption", "budgets", "*", "window"), "schedule"),),
    effect="drain",
    because="the windows of nodes move",
)
"""From a made-up schema 2, deep inside lists of lists."""


def make_up_migrations(monkeypatch: pytest.MonkeyPatch, *made_up: Migration) -> None:
    """Let the program know migrations for the length of a test."""
    monkeypatch.setattr(migrations, "MIGRATIONS", made_up)
