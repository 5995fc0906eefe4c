"""Problems of the file as problems of the flags that decide its fields."""

from collections.abc import Iterable, Iterator

from ..errors import Path, Problem
from ..loading.file_keys import REGION_IN_FILE

_FLAGS: dict[Path, str] = {
    ("environment",): "ENV",
    ("owner",): "--owner",
    ("costCenter",): "--owner",
    ("accountId",): "--account",
    REGION_IN_FILE: "--region",
    ("network",): "--cidr",
    ("network", "zones"): "--zones",
    ("cluster",): "ENV",
    ("cluster", "api"): "--allow",
    ("cluster", "serviceCidr"): "--cidr",
    ("cluster", "admins"): "--admin",
    ("monthlyBudget",): "--budget",
    ("pools",): "--gpu",
    ("pools", 0, "sharing"): "--sharing",
    ("pools", 0, "purpose"): "--purpose",
    ("pools", 0, "purchase"): "--purchase",
    ("pools", 0, "maxGpus"): "--max-gpus",
    ("pools", 0, "expectedHours"): "--expected-hours",
    ("tenants",): "--tenant",
    ("tenants", 0, "members"): "--member",
}


def explain(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield each problem once, with the flag that decides the field."""
    yield from dict.fromkeys(f"{find_flag(problem.path)}: {problem.message}" for problem in problems)


def find_flag(path: Path) -> str:
    """Return the flag of a field, or of the innermost field around it that a flag decides."""
    inner = (path[:length] for length in range(len(path), 0, -1))
    return next((_FLAGS[part] for part in inner if part in _FLAGS), "--gpu")
