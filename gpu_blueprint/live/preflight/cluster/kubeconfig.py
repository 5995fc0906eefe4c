"""Read a kubeconfig: the file of one person, written by hand or by `aws eks update-kubeconfig`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ....errors import StackError, UsageError, suggest
from ....files.loading.document import read_document
from ....records import Record

_MOST_BYTES = 1 << 20
_ARN = re.compile(r"arn:[\w-]+:eks:(?P<region>[\w-]+):(?P<account>\d{12}):cluster/(?P<name>.+)")
_NAME_FLAGS = ("--cluster-name", "--cluster-id", "-i", "--name")
"""Flags of `aws eks get-token`, `aws-iam-authenticator token` and their like that name the cluster."""
_WRITE = "write it again with `aws eks update-kubeconfig --name CLUSTER --kubeconfig FILE`"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Access(Record, kw_only=True):
    """One context of a kubeconfig."""

    context: str
    server: str
    folder: Path
    """The folder of the file; relative paths in it start here."""
    cluster: Mapping[str, Any]
    user: Mapping[str, Any]
    """Credentials, or the command that gets them."""
    cluster_name: str = ""
    """Name of the EKS cluster, as far as the file tells; empty if it does not."""
    region: str = ""
    account: str = ""

    def __repr__(self) -> str:
        """Name the context alone: a traceback must show no credentials."""
        return f"Access(context={self.context!r}, server={self.server!r})"


def read_kubeconfig(file: Path, context: str | None = None) -> Access:
    """Return a context of a kubeconfig, by default its current context.

    Raises:
        UsageError: The file is missing, is no kubeconfig or does not have the context, or its connection is not safe.
    """
    document = _read(file)
    contexts = _index(document, "contexts", "context", file)
    current = document.get("current-context")
    chosen = context or (current if isinstance(current, str) else "")
    if not chosen:
        raise UsageError(f"{file}: names no current context; pass --context: {', '.join(sorted(contexts)) or 'none'}")
    if chosen not in contexts:
        raise UsageError(f"{file}: there is no context {chosen!r}; {suggest(chosen, contexts, 'there are')}")
    parts = contexts[chosen]
    cluster = _find(document, "clusters", "cluster", parts.get("cluster"), file)
    user = _find(document, "users", "user", parts.get("user"), file) if parts.get("user") else {}
    server = cluster.get("server")
    if not isinstance(server, str) or not server:
        raise UsageError(f"{file}: the cluster of context {chosen!r} has no server; {_WRITE}")
    _refuse_unsafe(file, server, cluster, user)
    identity = _find_identity(str(parts.get("cluster")), user)
    folder = file.resolve().parent
    return Access(context=chosen, server=server.rstrip("/"), folder=folder, cluster=cluster, user=user, **identity)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}; {_WRITE}") from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{file}: is larger than 1 MiB, so it is no kubeconfig")
    try:
        document = read_document(content.decode("utf-8"))[1]
    except UnicodeDecodeError:
        raise UsageError(f"{file}: is not text, so it is no kubeconfig; {_WRITE}") from None
    except StackError as error:
        raise UsageError(f"{file}: is no kubeconfig: {error.problems[0].message}") from None
    if not isinstance(document, Mapping) or not isinstance(document.get("contexts"), list):
        raise UsageError(f"{file}: is no kubeconfig, because it has no list of contexts; {_WRITE}")
    return document


def _index(document: Mapping[str, Any], key: str, inner: str, file: Path) -> dict[str, Mapping[str, Any]]:
    """Return name → content of the entries of a list of the kubeconfig."""
    entries = document.get(key)
    rows = [row for row in entries if isinstance(row, Mapping)] if isinstance(entries, list) else []
    found = {str(row.get("name")): row.get(inner) for row in rows}
    if broken := [name for name, content in found.items() if not isinstance(content, Mapping)]:
        raise UsageError(f"{file}: {key}: the entry {broken[0]!r} has no {inner}; {_WRITE}")
    return found  # type: ignore[return-value]


def _find(document: Mapping[str, Any], key: str, inner: str, name: Any, file: Path) -> Mapping[str, Any]:
    known = _index(document, key, inner, file)
    if name not in known:
        raise UsageError(f"{file}: the context names the {inner} {name!r}, which is not under {key}; {_WRITE}")
    return known[name]


def _refuse_unsafe(file: Path, server: str, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> None:
    """Refuse a connection whose answers could be anybody's, and credentials that need an unknown program."""
    try:
        address = urlsplit(server)
        host = address.hostname
    except ValueError:
        raise UsageError(f"{file}: the server {server!r} is not an address; {_WRITE}") from None
    if address.scheme not in ("https", "http") or not host:
        raise UsageError(f"{file}: the server {server!r} is not an address; {_WRITE}")
    if address.scheme == "http" and host not in _LOOPBACK:
        raise UsageError(f"{file}: the server {server!r} has no TLS, so everybody on the way reads the token; {_WRITE}")
    if cluster.get("insecure-skip-tls-verify"):
        raise UsageError(
            f"{file}: insecure-skip-tls-verify lets any server answer and take the token; remove the line, and write "
            "certificate-authority-data"
        )
    if "auth-provider" in user:
        raise UsageError(f"{file}: auth-provider is gone from Kubernetes since 1.26; {_WRITE}")


def _find_identity(entry: str, user: Mapping[str, Any]) -> dict[str, str]:
    """Return which EKS cluster an entry is of: its command says so, else its ARN or the name that eksctl writes."""
    found: dict[str, str] = {}
    if arn := _ARN.fullmatch(entry):
        found = {"cluster_name": arn["name"], "region": arn["region"], "account": arn["account"]}
    elif entry.endswith(".eksctl.io") and entry.count(".") >= 3:
        name, region = entry.removesuffix(".eksctl.io").rsplit(".", 1)
        found = {"cluster_name": name, "region": region}
    command = user.get("exec")
    given = command.get("args") if isinstance(command, Mapping) else None
    words = [str(word) for word in given] if isinstance(given, list) else []
    for flags, key in ((_NAME_FLAGS, "cluster_name"), (("--region",), "region")):
        if value := _read_flag(words, flags):
            found[key] = value
    return found


def _read_flag(words: list[str], flags: tuple[str, ...]) -> str:
    """Return the value of the first of the flags, written with a space or with ``=``."""
    for position, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in flags:
            return value if equals else (words[position + 1] if len(words) > position + 1 else "")
    return ""
