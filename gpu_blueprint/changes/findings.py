"""Warnings and policy findings that a change brings, and those that it ends."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Finding = Mapping[str, Any]
"""A Problem, as ``Problem.as_json`` writes it."""

_AMOUNT = re.compile(r"(?<![\w.-])\$?\d[\d,.]*(?:[KMGT]i|[smhd%])?(?![\w-])")
"""A number that stands alone, with or without a unit; not a digit in a name such as ``g6.12xlarge`` or ``infer-l4``."""


def compare_findings(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """Return the findings that are new, and the findings that are gone.

    A finding stays the same while its kind, severity, subject, field and words do. Lines, remedies and numbers in the
    words do not count: a pool that may cost $20 too much instead of $10 has one finding, not a new one and a gone one.
    Two equal findings count as two.
    """
    return _subtract(after, before), _subtract(before, after)


def _subtract(findings: Sequence[Finding], known: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings that are not known, each known finding counted once."""
    left, found = Counter(map(_identify, known)), []
    for finding in findings:
        key = _identify(finding)
        if left[key]:
            left[key] -= 1
        else:
            found.append(finding)
    return tuple(found)


def _identify(finding: Finding) -> tuple[str, ...]:
    subject, path = str(finding.get("subject", "")), str(finding.get("path", ""))
    if subject:  # the subject tells the pool, and another pool before it moves its position in the list
        path = re.sub(r"\.\d+(?=\.|$)", ".*", path)
    words = _AMOUNT.sub("#", str(finding.get("reason", "")))
    return str(finding.get("kind", "")), str(finding.get("severity", "")), subject, path, words
