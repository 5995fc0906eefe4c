"""Read the command line, run one command, end with its exit code: 0 fine, 1 the stack is wrong, 2 usage."""

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence

from ..errors import BlueprintError, UsageError
from .parser import parser

_FILE = re.compile(r"(?:.*/)?Pulumi\.(.+)\.yaml")
_STACK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        parser().print_help(sys.stderr)
        return UsageError.exit_code
    parsed = parser().parse_args(given)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode gets question marks, not a traceback
    try:
        for stack in _stacks(parsed):
            if file := _FILE.fullmatch(stack):
                raise UsageError(f"{stack!r} is a file, the stack is called {file[1]}")
            if not _STACK.fullmatch(stack):
                raise UsageError(f"{stack!r} is not the name of a stack; stacks/Pulumi.dev.yaml is called dev")
        code: int = importlib.import_module(f".{parsed.command}", __package__).run(parsed)
        sys.stdout.flush()
        return code
    except BlueprintError as error:
        print(_plain(str(error)), file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _plain(text: str) -> str:
    """Leave out what moves a terminal's cursor or colours it: an error may quote what a server or a file says."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "�" for letter in text)


def _stacks(parsed: argparse.Namespace) -> list[str]:
    """Every argument that names a stack."""
    given = [getattr(parsed, name, None) for name in ("stack", "other", "origin", "environment", "subject", "compare")]
    return [stack for stack in given if stack] + list(getattr(parsed, "stacks", []))
