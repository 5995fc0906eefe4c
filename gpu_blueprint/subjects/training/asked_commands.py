"""Mistakes in the program behind ``--``, whose words start unchanged, without a shell."""

import re
from collections.abc import Iterator

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_BUILTINS = frozenset({"cd", "source", ".", "export", "set", "ulimit"})
_OPERATORS = frozenset({";", "&&", "||", "|", "&", ">", ">>", "<", "2>", "2>&1"})
_SHELL_REMEDY = "-- bash -c '…', with exec before the program, so that it gets SIGTERM"
_SHOWN_CHARACTERS = 60


def find_command_mistakes(command: tuple[str, ...]) -> Iterator[str]:
    """Yield why the command cannot start: it is empty, or it is text for a shell."""
    if not command:
        yield "there is no command; write it at the end behind two dashes: -- torchrun train.py"
    elif not command[0].strip():
        yield "the first word of the command is blank; write the program there: -- torchrun train.py"
    else:
        yield from _find_shell_text(command)


def _find_shell_text(command: tuple[str, ...]) -> Iterator[str]:
    first = command[0]
    shown = repr(first) if len(first) <= _SHOWN_CHARACTERS else f"{first[:_SHOWN_CHARACTERS]!r}…"
    operators = [word for word in command if word in _OPERATORS]
    if len(first.split()) > 1:
        yield f"the command is no shell: {shown} is one word; write its words without quotes, or {_SHELL_REMEDY}"
    elif _ASSIGNMENT.fullmatch(first):
        yield f"the command is no shell: {shown} is no program; write --env {first}, or {_SHELL_REMEDY}"
    elif first in _BUILTINS:
        yield f"the command is no shell: {shown} is no program; write {_SHELL_REMEDY}"
    elif operators:
        yield f"the command is no shell: {operators[0]!r} would be an argument; write {_SHELL_REMEDY}"
