"""The difference between old and new inputs of a resource, and the part of it that replaces the resource."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def list_changed_paths(old: Any, new: Any, path: str = "") -> list[str]:
    """Return dotted paths of the values that differ, sorted. Items of a list count as one value of the list's path."""
    return sorted(set(_find_changed_paths(old, new, path)))


def _find_changed_paths(old: Any, new: Any, path: str) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in {*old, *new}:
            yield from _find_changed_paths(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif _are_blocks(old) and _are_blocks(new) and len(old) == len(new):
        for before, after in zip(old, new, strict=True):
            yield from _find_changed_paths(before, after, path)
    elif old != new:
        yield path


def _are_blocks(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def list_replacing_paths(changed: Iterable[str], replacing: Iterable[str]) -> list[str]:
    """Return the changed paths that lie on a replacing path, above it or below it.

    Pulumi writes some of Terraform's names in the plural, so a final s does not count.
    """
    fixed = [_split(path) for path in replacing]
    return [path for path in changed if any(_share_a_line(_split(path), other) for other in fixed)]


def _split(path: str) -> list[str]:
    return [part.removesuffix("s") for part in path.split(".")]


def _share_a_line(one: list[str], other: list[str]) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]
