"""The plugin behind ``--every-engine``: a run of tests fails if an engine of the lab was not started in it."""

import sys
from pathlib import Path
from typing import Any

import pytest

from lab.engines import CORE, ENGINES


class EveryEngine:
    """Collects the names of started engines: each worker its own, the controller those of all workers."""

    def __init__(self) -> None:
        self.started: set[str] = set()
        sys.addaudithook(self._note)

    @property
    def missing(self) -> list[str]:
        """The engines of the gate that nobody has started, in the order of the table of engines."""
        return [name for name, engine in ENGINES.items() if engine.bundle in CORE and name not in self.started]

    def _note(self, event: str, details: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            program = Path(str(details[0]))
            if program.name in ENGINES and program.is_relative_to(ENGINES[program.name].place):
                self.started.add(program.name)

    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker has started; a worker that died has told nothing."""
        self.started.update(getattr(node, "workeroutput", {}).get("engines", ()))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell the controller, or judge."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["engines"] = sorted(self.started)
        elif self.missing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the engines that were not started."""
        if self.missing:
            terminalreporter.write_line(f"NOT STARTED: {', '.join(self.missing)}. No test with lab_core runs them.")
