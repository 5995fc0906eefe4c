"""AMI releases must support the Kubernetes version of the cluster."""

from collections.abc import Iterator

from ..catalog.versions import find_oldest_ami
from ..config import StackConfig
from ..errors import Problem


def refuse_old_amis(stack: StackConfig) -> Iterator[Problem]:
    """Refuse AMI releases that are too old for the cluster's Kubernetes version."""
    for index, pool in enumerate(stack.pools):
        ami = pool.ami
        if ami.version is not None and not ami.row.is_release(ami.version):
            continue
        oldest, why = find_oldest_ami(ami.row, stack.cluster.release)
        if ami.row.order(ami.pinned) < ami.row.order(oldest):
            path = ("pools", index, "ami", "version")
            yield Problem("ami-too-old", path, f"{ami.pinned!r} is too old", f"use {oldest} or newer ({why})")
