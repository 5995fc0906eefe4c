"""Every error that a user can cause, and the exit code that each ends with.

BlueprintError       1
├── StackError       1  the stack file is wrong: one Problem per line, all at once
├── CatalogError     1  the world has no such thing (names the near misses)
├── ProgramError     1  the Pulumi program raised while it was rendered
├── MetricsError     1  Prometheus did not answer, or has no metrics of the platform
├── RefreshError     1  AWS refused to answer, or answered what no catalogue should take over
└── UsageError       2  the command was called in a way that cannot work
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong (or, with ``warning``, unwise) at one place of a stack file."""

    path: Path
    message: str
    warning: bool = False
    file: str = ""
    line: int = 0

    def under(self, *prefix: str | int) -> "Problem":
        """Return the same problem seen from a model further up."""
        return replace(self, path=(*prefix, *self.path))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        field = f"{'.'.join(map(str, self.path))}: " if self.path else ""
        return f"{place}{field}{self.message}"


def under(problems: Iterable[Problem], *prefix: str | int) -> Iterator[Problem]:
    """Move problems below a longer path."""
    return (problem.under(*prefix) for problem in problems)


def near(name: str, known: Iterable[str], kind: str = "known") -> str:
    """Say which of the known names was probably meant: ``(did you mean …?)``, else list them."""
    names = sorted(known)
    small = name.lower()
    starting = sorted((other for other in names if small and other.startswith(small)), key=len)[:2]
    close = starting or get_close_matches(small, names, n=2, cutoff=0.6)
    return f"(did you mean {' or '.join(close)}?)" if close else f"({kind}: {', '.join(names) or 'none'})"


class BlueprintError(Exception):
    """Base of all errors that the command line prints without a traceback."""

    exit_code = 1


class StackError(BlueprintError):
    """The stack file is wrong."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class CatalogError(BlueprintError, ValueError):
    """A name is unknown to the catalogue; also a ``ValueError``, so pydantic reports it at its field."""

    @classmethod
    def unknown(cls, kind: str, name: str, known: Iterable[str]) -> "CatalogError":
        """Build the error for a name that no row has."""
        return cls(f"unknown {kind} {name!r} {near(name, known)}")


class ProgramError(BlueprintError):
    """The Pulumi program reported an error that its user can mend."""


class RefreshError(BlueprintError):
    """A catalogue could not be rebuilt from what AWS answered."""


class MetricsError(BlueprintError):
    """Prometheus could not be asked, or has nothing of the platform."""


class UsageError(BlueprintError):
    """The command was called in a way that cannot work."""

    exit_code = 2
