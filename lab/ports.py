"""Ports for engines. A claim reserves a port among all workspaces of a user until an engine binds it, seconds later."""

import fcntl
import os
import random
import socket
from collections.abc import Iterable
from functools import cache
from threading import Lock

from gpu_blueprint.errors import LabError

from .orphans import find_temporary_folder

_PORTS = range(20_000, 30_000)
"""Ports outside the ranges of outgoing connections (kernel) and of Services of type NodePort (Kubernetes)."""
_TRIES = 1_000
_held: set[int] = set()
"""The ports of this process: record locks exclude other processes, but not other threads."""
_lock = Lock()


def claim_port() -> int:
    """Return a port without a listener on any address, and without a claim of another workspace of this user.

    A claim ends with ``release_ports``, or with the process.

    Raises:
        LabError: All ports seem to be taken.
    """
    for _ in range(_TRIES):
        port = random.choice(_PORTS)  # noqa: S311  two workspaces must not try the same ports in the same order
        with _lock:
            if port not in _held and _is_free(port) and _claim(port):
                _held.add(port)
                return port
    raise LabError(f"no port from {_PORTS.start} to {_PORTS.stop - 1} is free on this machine")


def release_ports(ports: Iterable[int]) -> None:
    """Release this process's claims on some ports."""
    with _lock:
        for port in ports:
            fcntl.lockf(_open_claims(), fcntl.LOCK_UN, 1, port)
            _held.discard(port)


def _is_free(port: int) -> bool:
    """Return whether no process listens on a port."""
    with socket.socket() as probe:
        try:
            probe.bind(("", port))  # Karpenter listens on every address; this probe never listens
        except OSError:
            return False
    return True


def _claim(port: int) -> bool:
    """Lock the byte at the port's number in the file of claims; the system unlocks it when the process ends."""
    try:
        fcntl.lockf(_open_claims(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


@cache
def _open_claims() -> int:
    """Return the descriptor of the file of claims, which stays open: closing any descriptor would end every claim."""
    file = find_temporary_folder() / f"gpu-blueprint-ports-{os.getuid()}"
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
