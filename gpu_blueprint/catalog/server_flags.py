"""Command-line flags of inference servers, by release: the rows of server_flags.csv."""

from collections.abc import Mapping
from functools import cache
from typing import Literal

from ..errors import CatalogError, suggest
from ..records import Record
from .server_images import REPOSITORIES, read_version
from .table import read_table

FILE = "server_flags.csv"

FlagKind = Literal["switch", "number", "json", "text"]
FlagOwner = Literal["platform", "team"]


class ServerFlag(Record, kw_only=True):
    """One flag of one server."""

    server: str
    flag: str
    """The long form, such as ``--max-model-len``."""
    since: str
    """First release that takes the flag, or the oldest release that was read; without ``v``."""
    until: str
    """First release that refuses the flag; empty if the newest release that was read takes it."""
    kind: FlagKind
    owner: FlagOwner
    """Platform: the platform sets the flag or keeps it off. Team: an argument of a model."""
    note: str
    """The source of the platform's value, or why the flag is off; for a team's flag a warning, mostly empty."""
    source: str


def find_flag(server: str, flag: str) -> ServerFlag | None:
    """Return the flag of an argument; None if no release of the server has it.

    Understands vLLM's spellings: ``--max_model_len``, ``--no-enable-prefix-caching``, ``--compilation-config.mode``.
    Short forms such as ``-tp`` are unknown.

    Args:
        server: A server of the catalogue.
        flag: A flag, with or without ``=`` and its value.
    """
    flags = list_flags(server)
    name = flag.partition("=")[0]
    if server == "vllm":
        name = name.partition(".")[0].replace("_", "-")
        opposite = flags.get(name.replace("--no-", "--", 1))
        if opposite and opposite.kind == "switch":
            return opposite
    return flags.get(name)


def list_flags(server: str) -> Mapping[str, ServerFlag]:
    """Return flag → row of a server, sorted by flag."""
    if server not in REPOSITORIES:
        raise CatalogError(f"unknown server {server!r}", suggest(server, REPOSITORIES))
    return _read_flags()[server]


def is_known_at(flag: ServerFlag, tag: str) -> bool:
    """Return whether the release of an image tag takes a flag; a release after the table counts as its newest.

    Raises:
        CatalogError: The tag names no version.
    """
    version = read_version(tag)
    return read_version(flag.since) <= version and (not flag.until or version < read_version(flag.until))


@cache
def _read_flags() -> Mapping[str, Mapping[str, ServerFlag]]:
    table: dict[str, dict[str, ServerFlag]] = {server: {} for server in REPOSITORIES}
    for flag in read_table(FILE, ServerFlag):
        table[flag.server][flag.flag] = flag
    return table
