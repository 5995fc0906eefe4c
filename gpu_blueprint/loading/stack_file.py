"""From what a file says to a StackConfig, or to every problem at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from ..checks import find_problems, find_warnings
from ..checks.budgets import BOUNDS
from ..config.monitoring import InstallMonitoring
from ..config.stack import StackConfig
from ..errors import Problem, StackError, UsageError, near
from ..model import Model
from .pydantic_errors import RAW, problem_of
from .remainder import Remainder, sound_parts
from .source import IN_FILE, PROJECT, REGION_IN_FILE, REGION_KEY, STACK_KEY, STACKS, Source, existing_stacks, stack_path

_Part = TypeVar("_Part", bound=Model)


@dataclass(frozen=True, slots=True)
class StackFile:
    """A stack file without problems: its name, its text and what it says."""

    name: str
    source: Source
    config: StackConfig

    def warnings(self, today: date) -> list[Problem]:
        """What is legal but unwise, each at its line."""
        found = [*find_warnings(self.config, today), *self._twins()]
        return _located(self.source, [_in_file(problem) for problem in found])

    @property
    def missing_secrets(self) -> list[str]:
        """Config secrets that the stack takes and its file does not hold."""
        monitoring = self.config.monitoring
        wanted = monitoring.secrets if isinstance(monitoring, InstallMonitoring) else []
        return [name for name in wanted if f"{PROJECT}:{name}" not in self.source.config]

    def _twins(self) -> Iterator[Problem]:
        """Yield the other stack files that would make a cluster of the same name in the same place."""
        folder = Path(self.source.file).parent
        for other in existing_stacks(folder):
            if other != self.name and _cluster_of(stack_path(other, folder)) == (
                self.config.account_id, self.config.region, self.config.cluster_name,
            ):  # fmt: skip
                text = f"{stack_path(other, folder)} makes a cluster of the same name in the same account and region: choose another"
                yield Problem("todo", ("environment",), text, severity="warning")


def _cluster_of(path: Path) -> tuple[Any, Any, Any] | None:
    """Account, region and cluster name of a file, as far as it can be read."""
    try:
        source = Source(path.read_text(encoding="utf-8"), path.as_posix())
    except (StackError, OSError, UnicodeDecodeError):
        return None
    if any(True for _ in source.problems()):
        return None
    cluster = source.stack.get("cluster")
    own = cluster.get("name") if isinstance(cluster, dict) else None
    return source.stack.get("accountId"), source.region, own or f"gpu-{source.stack.get('environment')}"


def open_stack(stack: str, folder: Path = STACKS, *, bounded: bool = True) -> StackFile:
    """Read and check the file of a stack; without ``bounded`` it may cost more than it allows itself.

    Raises:
        UsageError: There is no such file.
        StackError: With every problem of the file, each at its line.
    """
    source = read(stack, folder)
    found = list(source.problems())
    if found:
        raise StackError(_located(source, found))
    config, wrong = _validate(source.stack, source.region)
    if not bounded:
        wrong = [problem for problem in wrong if problem.path not in BOUNDS]
    around = list(source.findings())
    told = {problem.path for problem in around}
    found = around + [problem for problem in map(_in_file, wrong) if problem.path not in told]
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
        raise StackError(_with_text(problem, stack) for problem in found)
    return config


def part(model: type[_Part], data: Any) -> _Part:
    """Check what stands alone outside a stack file, such as a ``Scaling`` of another program; a checked one stays as it is.

    Raises:
        StackError: With every problem, each led by its field path.
    """
    checked, found = _shaped(model, data)
    found += checked.all_problems() if checked else []
    if checked is None or found:
        raise StackError(_with_text(problem, data) for problem in found)
    return checked


def _with_text(problem: Problem, stack: Any) -> Problem:
    if RAW not in problem.message:
        return problem
    value = stack
    for part in problem.path:
        value = value[part]
    return replace(problem, reason=problem.reason.replace(RAW, str(value)), hint=problem.hint.replace(RAW, str(value)))


def _validate(stack: Any, region: Any) -> tuple[StackConfig | None, list[Problem]]:
    if not isinstance(stack, dict):
        return None, [Problem("todo", (), f"got {stack!r}, not a mapping")]
    twice = [
        Problem("todo", ("region",), f"unknown field; the region stands once, as {REGION_KEY} beside {STACK_KEY}")
    ] * ("region" in stack)
    data = {**stack, "region": region}
    config, found = _shaped(StackConfig, data)
    if config is not None:
        found += config.all_problems()
    return config, [*twice, *found, *_further(data, config, found)]


def _shaped(model: type[_Part], data: Any) -> tuple[_Part | None, list[Problem]]:
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, [problem_of(details, model, data) for details in error.errors()]


def _further(data: dict[str, Any], config: StackConfig | None, found: list[Problem]) -> Iterator[Problem]:
    """Yield what else is wrong with the parts that nothing was found in, alone and with each other."""
    if config is None:
        remainder = Remainder(data, found)
        config, _ = _shaped(StackConfig, remainder.data)
        if config is None:
            yield from sound_parts(data, [problem.path for problem in found])
            return
        more = list(remainder.placed(config.all_problems()))
        yield from filter(remainder.speaks_of, more)
        found = [*found, *more]
    remainder = Remainder(data, found)
    rest, _ = _shaped(StackConfig, remainder.data)
    if rest is not None:
        yield from filter(remainder.speaks_of, remainder.placed(find_problems(rest)))


def _in_file(problem: Problem) -> Problem:
    """Move a path of the stack object to where the file has it."""
    return replace(problem, path=REGION_IN_FILE) if problem.path == ("region",) else problem.under(*IN_FILE)


def _located(source: Source, found: list[Problem]) -> list[Problem]:
    """Give each problem its file and line, and show paths from the stack object on."""
    located = [
        replace(
            problem,
            path=problem.path[len(IN_FILE) :] if _inside(problem.path) else problem.path,
            reason=problem.reason.replace(RAW, source.raw(problem.path)),
            hint=problem.hint.replace(RAW, source.raw(problem.path)),
            file=source.file,
            line=source.line_of(problem.path),
        )
        for problem in dict.fromkeys(found)
    ]
    return sorted(located, key=lambda problem: problem.line)


def _inside(path: tuple[str | int, ...]) -> bool:
    return path[: len(IN_FILE)] == IN_FILE and len(path) > len(IN_FILE)
