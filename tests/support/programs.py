"""Real programs that tests need, where they are installed; in CI they must be."""

import os
import shutil
import subprocess
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Program:
    """One program, Debian's package of it, and what goes untested without it."""

    name: str
    package: str
    untested: str

    def __post_init__(self) -> None:
        if self.absent and not os.environ.get("CI"):
            warnings.filterwarnings("default", message=self.name)
            warnings.warn(f"{self.name} is missing, so {self.untested}: apt-get install {self.package}", stacklevel=3)

    @property
    def absent(self) -> bool:
        """Whether this machine lacks it."""
        return shutil.which(self.name) is None

    @property
    def needed(self) -> pytest.MarkDecorator:
        """Marks a test that cannot run without it."""
        skipped = self.absent and not os.environ.get("CI")
        return pytest.mark.skipif(skipped, reason=f"{self.name} is missing: apt-get install {self.package}")

    def __call__(self, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run it; whoever calls looks at the return code."""
        assert not self.absent, f"{self.name} is missing, and in CI nothing is skipped: apt-get install {self.package}"
        return subprocess.run([self.name, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=cwd)


promtool = Program("promtool", "prometheus", "neither rules nor dashboards nor advise are tested")
needs_promtool = promtool.needed
npm = Program("npm", "npm", "custom resources are not held against their types")
needs_npm = npm.needed
amtool = Program("amtool", "prometheus-alertmanager", "no alert's route is tested")
needs_amtool = amtool.needed
