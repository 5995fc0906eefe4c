"""A stack file becomes a config, or Problems with their lines."""

from .parse import parse, parse_part
from .source import PROJECT, REGION_KEY, STACK_KEY, Source, list_stacks, locate_stack
from .stack_file import StackFile, load, open_stack

__all__ = [
    "PROJECT",
    "REGION_KEY",
    "STACK_KEY",
    "Source",
    "StackFile",
    "list_stacks",
    "load",
    "locate_stack",
    "open_stack",
    "parse",
    "parse_part",
]
