"""The real promtool, where it is installed; in CI it must be."""

import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

PROMTOOL = shutil.which("promtool")

if PROMTOOL is None and not os.environ.get("CI"):
    warnings.filterwarnings("default", message="promtool")
    warnings.warn(
        "promtool is missing, so neither rules nor dashboards nor advise are tested: apt-get install prometheus",
        stacklevel=1,
    )

needs_promtool = pytest.mark.skipif(
    PROMTOOL is None and not os.environ.get("CI"), reason="promtool is missing: apt-get install prometheus"
)


def promtool(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run it; whoever calls looks at the return code."""
    assert PROMTOOL, "promtool is missing, and in CI nothing is skipped: apt-get install prometheus"
    return subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=cwd)
