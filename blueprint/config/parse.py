"""From what a file says to a StackConfig, or to every problem at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import Problem, StackError, UsageError, near, under
from ..model import Model
from .capacity import capacity_problems, capacity_warnings
from .cluster import Cluster
from .messages import RAW, problem_of
from .network import Network
from .pools import Pool
from .quotas import quota_problems, quota_warnings
from .source import IN_FILE, REGION_IN_FILE, REGION_KEY, STACK_KEY, STACKS, Source, existing_stacks, stack_path
from .stack import StackConfig
from .tenants import Tenant

_PARTS: dict[str, TypeAdapter[Any]] = {
    "network": TypeAdapter(Network),
    "cluster": TypeAdapter(Cluster),
    "pools": TypeAdapter(Pool),
    "tenants": TypeAdapter(Tenant),
}


@dataclass(frozen=True, slots=True)
class StackFile:
    """A stack file without problems: its name, its text and what it says."""

    name: str
    source: Source
    config: StackConfig

    def warnings(self, today: date) -> list[Problem]:
        """What is legal but unwise, each at its line."""
        return _located(self.source, [_in_file(problem) for problem in warnings(self.config, today)])


def open_stack(stack: str, folder: Path = STACKS) -> StackFile:
    """Read and check the file of a stack.

    Raises:
        UsageError: There is no such file.
        StackError: With every problem of the file, each at its line.
    """
    source = read(stack, folder)
    found = list(source.problems())
    if found:
        raise StackError(_located(source, found))
    config, wrong = _validate(source.stack, source.region)
    found = [*source.findings(), *(_in_file(problem) for problem in wrong)]
    if found or config is None:
        raise StackError(_located(source, found))
    return StackFile(stack, source, config)


def load(stack: str, folder: Path = STACKS) -> StackConfig:
    """Read and check the file of a stack, for those who need only what it says; raises as ``open_stack`` does."""
    return open_stack(stack, folder).config


def read(stack: str, folder: Path = STACKS) -> Source:
    """Read the file of a stack, whatever it says."""
    path = stack_path(stack, folder)
    try:
        return Source(path.read_text(encoding="utf-8"), path.as_posix())
    except FileNotFoundError:
        raise UsageError(f"{path}: no such stack file {near(stack, existing_stacks(folder), 'there are')}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None


def parse(stack: Any, region: Any) -> StackConfig:
    """Check a stack object that Pulumi has read.

    Raises:
        StackError: With every problem, each led by its field path.
    """
    config, found = _validate(stack, region)
    if found or config is None:
        raise StackError(found)
    return config


def warnings(stack: StackConfig, today: date) -> tuple[Problem, ...]:
    """What is legal but unwise in a stack that has no problems; reservations end, so it may depend on the day."""
    return (*quota_warnings(stack), *capacity_warnings(stack, today))


def _validate(stack: Any, region: Any) -> tuple[StackConfig | None, list[Problem]]:
    if "region" in stack:
        return None, [
            Problem(("region",), f"unknown field; the region stands once, as {REGION_KEY} beside {STACK_KEY}")
        ]
    data = {**stack, "region": region}
    try:
        config = StackConfig.model_validate(data)
    except ValidationError as error:
        shape = [problem_of(details, StackConfig, data) for details in error.errors()]
        return None, shape + list(_sound_parts(data, shape))
    found = list(config.all_problems())
    if not any(problem.path[0] == "pools" for problem in found):
        found += [*quota_problems(config), *capacity_problems(config)]
    return config, found


def _sound_parts(data: dict[str, Any], shape: list[Problem]) -> Iterator[Problem]:
    """Look further at each part that is well-formed although another is not."""
    broken = {problem.path[:length] for problem in shape for length in (1, 2)}
    for name, adapter in _PARTS.items():
        section = data.get(name)
        items = {(name, i): item for i, item in enumerate(section)} if isinstance(section, list) else {(name,): section}
        for path, item in items.items():
            if path not in broken and isinstance(item, dict):
                part: Model = adapter.validate_python(item)
                yield from under(part.all_problems(), *path)


def _in_file(problem: Problem) -> Problem:
    """Move a path of the stack object to where the file has it."""
    return replace(problem, path=REGION_IN_FILE) if problem.path == ("region",) else problem.under(*IN_FILE)


def _located(source: Source, found: list[Problem]) -> list[Problem]:
    """Give each problem its file and line, drop repetitions, and show paths from the stack object on."""
    places: dict[tuple[str | int, ...], Problem] = {}
    for problem in found:
        places.setdefault(problem.path, problem)
    located = [
        replace(
            problem,
            path=path[len(IN_FILE) :] if path[: len(IN_FILE)] == IN_FILE and len(path) > len(IN_FILE) else path,
            message=problem.message.replace(RAW, source.raw(path)),
            file=source.file,
            line=source.line_of(path),
        )
        for path, problem in places.items()
    ]
    return sorted(located, key=lambda problem: problem.line)
