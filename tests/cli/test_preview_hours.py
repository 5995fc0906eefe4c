"""The opening hours of pools, as `preview` shows them."""

import pytest

from gpu_blueprint.cli.text.preview import show
from gpu_blueprint.explain.stack import as_json, summarize_pool
from gpu_blueprint.files.loading import open_stack

from ..components.pools.test_pool_hours import build_pools, plan_hours
from ..files.loading.test_stack_file import GOOD
from ..support import builders


def test_the_preview_shows_opening_hours(capsys: pytest.CaptureFixture[str]) -> None:
    show(open_stack("hours", GOOD), plan_hours(), (), tree=True, promises=False)
    out = capsys.readouterr().out
    assert "open mon–fri 07:00–20:00 Europe/Berlin" in out
    assert "PoolHours gpu-test-lab" in out
    config = builders.config(pools=build_pools())
    hours_by_pool = {pool.name: as_json(summarize_pool(config, pool))["hours"] for pool in config.gpu_pools}
    assert hours_by_pool == {
        "lab": "mon–fri 07:00–20:00 Europe/Berlin",
        "train": "mon, sun 20:30–06:00 next day America/New_York",
        "always": None,
    }
