"""A stack file becomes a config, or Problems with their lines."""

from .parse import parse, part
from .source import PROJECT, REGION_KEY, STACK_KEY, Source, existing_stacks, stack_path
from .stack_file import StackFile, load, open_stack

__all__ = [
    "PROJECT",
    "REGION_KEY",
    "STACK_KEY",
    "Source",
    "StackFile",
    "existing_stacks",
    "load",
    "open_stack",
    "parse",
    "part",
    "stack_path",
]
