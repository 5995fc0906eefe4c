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
from typing import Literal

Path = tuple[str | int, ...]


Severity = Literal["error", "warning", "note"]
"""An error refuses the stack, a warning does not, a note only informs."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong or unwise at one place of a stack file.

    Every refusal, warning and policy finding is a Problem, so that text, JSON, SARIF and Markdown print the same.
    """

    kind: str
    """Stable name of the kind, such as ``purchase-order``; CI may match on it. docs/problems.md lists every kind."""
    path: Path
    """The field, as keys and list positions from the stack object on."""
    reason: str
    """The fault, as a sentence without its end."""
    hint: str = ""
    """The remedy, as a sentence without its end."""
    severity: Severity = "error"
    subject: str = ""
    """The part of the stack, such as ``pool infer-l4``, or the resource of a policy finding."""
    names: tuple[str, ...] = ()
    """Names from elsewhere in the stack on which the problem rests; it is void if one of these was dropped."""
    file: str = ""
    line: int = 0

    @property
    def message(self) -> str:
        """The reason and the remedy in one line."""
        return f"{self.reason}; {self.hint}" if self.hint else self.reason

    def under(self, *prefix: str | int) -> "Problem":
        """Return the same problem as seen from a model further up."""
        return replace(self, path=(*prefix, *self.path))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        field = f"{'.'.join(map(str, self.path))}: " if self.path else ""
        return f"{place}{field}{self.message}"


class WrongValueError(ValueError):
    """A value is refused by its own type; pydantic carries the error to the field, and loading makes a Problem of it."""

    def __init__(self, kind: str, reason: str, hint: str = "") -> None:
        super().__init__(f"{reason}; {hint}" if hint else reason)
        self.kind, self.reason, self.hint = kind, reason, hint


def under(problems: Iterable[Problem], *prefix: str | int) -> Iterator[Problem]:
    """Move problems below a longer path."""
    return (problem.under(*prefix) for problem in problems)


def near(name: str, known: Iterable[str], lead: str = "choose from") -> str:
    """Return a hint for a name that is not known: the one or two closest names, or the whole list.

    Args:
        name: The name that the user wrote.
        known: The names that exist.
        lead: Words before the list, such as ``it has``.

    Returns:
        ``did you mean train?``, else ``choose from infer, train``, else ``there are none``.
    """
    names = sorted(known)
    small = name.lower()
    starting = sorted((other for other in names if small and other.startswith(small)), key=len)[:2]
    if close := starting or get_close_matches(small, names, n=2, cutoff=0.6):
        return f"did you mean {' or '.join(close)}?"
    return f"{lead} {', '.join(names)}" if names else "there are none"


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
