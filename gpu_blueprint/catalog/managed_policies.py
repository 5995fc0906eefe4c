"""Policies that AWS manages and that let their holder do almost everything."""

import re
from functools import cache

from .table import read_rows

FILE = "managed_policies.csv"
_ARN = re.compile(r"arn:aws[a-z-]*:iam::aws:policy/(?:.*/)?([^/]+)", re.IGNORECASE)
"""ARN of a policy that AWS manages, in any partition; the path before its name differs between partitions."""


def find_broad_policy(arn: str) -> str | None:
    """Return what a broad policy of AWS allows, as a clause after "which"; None for a narrow policy or another ARN."""
    found = _ARN.fullmatch(arn.strip())
    return _read_table().get(found.group(1).lower()) if found else None


@cache
def _read_table() -> dict[str, str]:
    return {row["policy"].lower(): row["excess"] for row in read_rows(FILE)}
