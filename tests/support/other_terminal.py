"""Run ``pulumi up`` on the stack of a life from another process: ``python -m tests.support.other_terminal …``.

A killed CLI leaves its program behind: the program waits for an engine that is gone, in the process that runs it.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpu_blueprint.lifecycle.engine import Engine
from gpu_blueprint.lifecycle.steps import Lifecycle
from lab.workspace import Workspace

from .plans import ROOT, shipped_file


@contextmanager
def run_up_elsewhere(life: Lifecycle) -> Iterator[None]:
    """Run ``pulumi up`` in another process until it ends by itself; the caller kills its CLI."""
    words = [str(life.engine.folder), life.stack.name, life.engine.providers]
    command = [sys.executable, "-m", __name__, *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
            process.wait(60)
        finally:
            process.kill()


if __name__ == "__main__":
    folder, stack, providers = sys.argv[1:]
    engine = Engine(Workspace(Path(folder)), stack, shipped_file(stack), providers)
    engine.save_each_step()
    # One operation at a time: the CLI then dies while it waits, and never while it writes the state.
    engine.up(parallel=1)
