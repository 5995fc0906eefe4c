"""Run the Pulumi program without CLI, engine or cloud, as the CLI's Python host runs it."""

import asyncio
import contextlib
import contextvars
import gc
import json
import runpy
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

import pulumi
from pulumi.runtime import rpc, settings
from pulumi.runtime.stack import run_in_stack

from ..config.monitoring import SECRET_KEYS
from ..errors import ProgramError
from ..loading import PROJECT
from .lazy_sdk import lazy_sdk
from .quick_sdk import quick_sdk
from .recorder import RecordingEngine, RecordingMonitor
from .resource import PlannedResource

PROGRAM = Path(__file__).parents[2] / "__main__.py"
_Answer = TypeVar("_Answer")
_Arguments = TypeVarTuple("_Arguments")


def record(
    stack: str, config: Mapping[str, Any], program: Callable[[], None] | Path = PROGRAM, *, quick: bool = True
) -> tuple[PlannedResource, ...]:
    """Return every resource that the program would create in a first preview, in the order it registers them.

    ``config`` is the ``config`` section of a stack file. Several stacks may be recorded in one process. Without
    ``quick`` the SDK runs as it is, which tests and measurements compare with.

    Raises:
        ProgramError: The program refused to go on.
    """
    with contextlib.ExitStack() as patches:
        if quick:
            patches.enter_context(lazy_sdk())
            patches.enter_context(quick_sdk())
        return contextvars.Context().run(_record, stack, config, program)


def _record(stack: str, config: Mapping[str, Any], program: Callable[[], None] | Path) -> tuple[PlannedResource, ...]:
    monitor, engine = RecordingMonitor(PROJECT, stack), RecordingEngine()
    with _event_loop() as loop, _without_gc():
        settings.ROOT.set(None)
        pulumi.runtime.configure(
            settings.Settings(
                project=PROJECT,
                stack=stack,
                monitor=monitor,
                engine=engine,
                parallel=1,
                dry_run=True,
                organization="organization",
                root_directory=str(PROGRAM.parent),
            )
        )
        pulumi.runtime.set_all_config(
            _as_texts(config),
            [],
        )
        try:
            loop.run_until_complete(run_in_stack(program if callable(program) else lambda: _run_file(program)))
        except pulumi.RunError as error:
            raise ProgramError(str(error)) from None
    return _ordered(monitor.resources)


def _as_texts(config: Mapping[str, Any]) -> dict[str, str]:
    """Config as the CLI hands it over; secrets are not known here, those of the file as little as those to be set yet."""
    secret = {f"{PROJECT}:{key}" for key in SECRET_KEYS} | {
        key for key, value in config.items() if isinstance(value, dict) and set(value) == {"secure"}
    }
    texts = {key: value if isinstance(value, str) else json.dumps(value, default=str) for key, value in config.items()}
    return {**texts, **dict.fromkeys(sorted(secret), rpc.UNKNOWN)}


def _ordered(resources: Mapping[str, PlannedResource]) -> tuple[PlannedResource, ...]:
    """Put every resource behind what it needs, and equals by name: registration itself has no fixed order."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for urn, one in resources.items():
        sorter.add(urn, *(need for need in (one.parent, one.provider, *one.dependencies) if need in resources))
    sorter.prepare()
    ordered: list[PlannedResource] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        ordered += [resources[urn] for urn in ready]
        sorter.done(*ready)
    return tuple(ordered)


def _run_file(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")


class _InlineLoop(asyncio.SelectorEventLoop):
    """Runs each call to the monitor at once and in its own thread, so that the order of registration is always the same."""

    def run_in_executor(
        self,
        executor: Executor | None,  # noqa: ARG002, its place in the call is fixed
        func: Callable[[*_Arguments], _Answer],
        *args: *_Arguments,
    ) -> "asyncio.Future[_Answer]":
        future: asyncio.Future[_Answer] = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as error:  # noqa: BLE001, whoever awaits the future gets it
            future.set_exception(error)
        return future


@contextmanager
def _event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = _InlineLoop()
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda *_: None)  # tasks that a refusal leaves unfinished are no news
    try:
        yield loop
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        asyncio.set_event_loop(None)


@contextmanager
def _without_gc() -> Iterator[None]:
    """Pulumi's futures form cycles that live until the program ends; looking for them halves the speed."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
