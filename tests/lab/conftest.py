"""Fixtures of the lab's tests."""

from pathlib import Path

import pytest

from ..support.fake_go import FakeGo, install_fake_go


@pytest.fixture
def fake_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGo:
    """A stand-in for Go on PATH, and an empty folder for the built engines."""
    return install_fake_go(tmp_path, monkeypatch)
