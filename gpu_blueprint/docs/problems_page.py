"""docs/problems.md: every kind of problem with its meaning, an example, the printed line and the remedy."""

from collections.abc import Iterator
from typing import Any

from ..yaml_text.dumper import write_as_author
from .problems import ProblemKind, list_problem_kinds

_HEAD = """# Problems

`check` and `preview` refuse a stack with errors and accept a stack with warnings. Each problem has a kind, which stays
the same when its words change; CI may match on it. An example shows the fields of a stack file that cause the problem,
then the line that `check` prints.

Generated from `gpu_blueprint/docs/problems.yaml`: `make docs`.
"""


def render_problems_page() -> str:
    """Return the page as Markdown."""
    kinds = list_problem_kinds()
    lines = [_HEAD]
    for title, severities in (("Errors", ("error",)), ("Warnings and notes", ("warning", "note"))):
        lines += [f"## {title}", ""]
        for kind in kinds:
            if kind.severity in severities:
                lines += [f"### {kind.kind}", "", *describe_kind(kind), ""]
    return "\n".join(lines).rstrip() + "\n"


def describe_kind(kind: ProblemKind) -> Iterator[str]:
    """Yield the Markdown lines of a kind: meaning, example, the line that check prints, remedy."""
    yield kind.meaning
    if kind.needs:
        yield f"No stack file has this problem by itself; it takes {kind.needs}."
    else:
        yield from ("", "```yaml", show_example(kind), "```", "")
        yield from ("```text", show_line(kind), "```", "")
    yield f"Remedy: {kind.remedy}"


def show_line(kind: ProblemKind) -> str:
    """Return the line that ``check`` prints; the line has a place only if the example is a whole file."""
    problem = kind.find_problem()
    severity = "" if problem.severity == "error" else f"{problem.severity}: "
    return f"{severity}{problem} [{problem.kind}]"


def show_example(kind: ProblemKind) -> str:
    """Return the file, or the changed fields with the names of list items around them; removed fields are comments."""
    if kind.file:
        return kind.file.rstrip()
    stack, comments = kind.make_stack(), list[str]()
    shown: dict[str, Any] = {}
    for path, value in kind.example.items():
        if path == "region":
            comments.append(f"# aws:region: {value}")
        elif value == "DELETE":
            comments.append(f"# without {path}")
        else:
            _copy(stack, shown, path.split("."))
    text = write_as_author(shown)
    return "\n".join([*comments, text if shown else ""]).rstrip()


def _copy(source: Any, target: Any, path: list[str]) -> None:
    """Copy one field of a stack into the fields that the page shows."""
    first: Any = int(path[0]) if isinstance(source, list) else path[0]
    if len(path) == 1:
        target[first] = source[first]
        return
    if isinstance(target, list):
        target.extend({"name": item["name"]} for item in source[len(target) : first + 1])
    else:
        target.setdefault(first, [] if isinstance(source[first], list) else {})
    _copy(source[first], target[first], path[1:])
