"""A parser whose commands may take a program behind two dashes, and which says what people may have meant."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import find_close, suggest

_DASHES = "--"


class CommandParser(argparse.ArgumentParser):
    """The parser of the command line, and of each command.

    A command with the argument ``words`` takes everything behind two dashes as words of a program, whatever they are.
    It tells a mistake in one line, as `job` tells its other mistakes.
    """

    def parse_known_args(  # type: ignore[override]  # argparse has overloads for other namespaces
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the words before the two dashes, and keep those behind them."""
        if args is None or not self._takes_program:
            return super().parse_known_args(args, namespace)
        own = [*args]
        cut = own.index(_DASHES) if _DASHES in own else len(own)
        found, rest = super().parse_known_args(own[:cut], namespace)
        if rest:
            self.error(self._explain_rest(rest))
        found.words = [*found.words, *own[cut + 1 :]]
        return found, []

    def error(self, message: str) -> NoReturn:
        """Print a mistake and end; without the usage where the command has many words."""
        if not self._takes_program:
            super().error(message)
        self.exit(2, f"{message.removeprefix('argument ')}; {self.prog} --help shows all words\n")

    @property
    def _takes_program(self) -> bool:
        return any(action.dest == "words" for action in self._actions)

    def _explain_rest(self, rest: Sequence[str]) -> str:
        """Return what the words may be that the command does not know."""
        reason = f"{self.prog} knows no {' '.join(rest)}"
        options = [option for action in self._actions for option in action.option_strings if action.dest != "help"]
        if rest[0].startswith(_DASHES) and (close := find_close(rest[0].partition("=")[0], options)):
            return f"{reason}: did you mean {' or '.join(close)}? The words of a program stand behind two dashes"
        return f"{reason}: write the program with its arguments behind two dashes: -- torchrun train.py --lr 1"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Name the closest command in place of all commands."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            hint = suggest(str(value), action.choices)
            raise argparse.ArgumentError(None, f"there is no command {value!r}; {hint}")
        super()._check_value(action, value)
