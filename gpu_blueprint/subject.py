"""The subjects of a stack file, and the facets that each gives to the engines.

A subject is what a team writes a section about; a facet is one value that a subject gives to one engine, such as its
checks to ``checks``. A test goes through every pair: the engine has the facet, or ``WITHOUT`` says what does the work.
"""

from collections.abc import Mapping
from typing import Literal, get_args

Subject = Literal[
    "cluster",
    "images",
    "pools",
    "tenants",
    "queues",
    "services",
    "models",
    "storage",
    "keys",
    "training",
    "monitoring",
    "money",
]
SUBJECTS: tuple[Subject, ...] = get_args(Subject)

Facet = Literal["checks", "explain"]
FACETS: tuple[Facet, ...] = get_args(Facet)

SECTIONS: Mapping[Subject, tuple[str, ...]] = {
    "cluster": (
        "schemaVersion",
        "region",
        "owner",
        "environment",
        "accountId",
        "tags",
        "timezone",
        "network",
        "cluster",
        "iam",
        "egress",
        "waivers",
        "helmOverrides",
    ),
    "images": ("images",),
    "pools": ("pools", "retiredSharing", "reservations"),
    "tenants": ("tenants", "tenancy"),
    "queues": ("queueing",),
    "services": ("services", "autoscaling"),
    "models": ("models",),
    "storage": ("storage",),
    "keys": ("encryption",),
    "monitoring": ("monitoring",),
    "money": ("costCenter", "hourlyCeiling", "monthlyBudget", "costs", "billing"),
}
"""Subject → its fields of the stack file. Training has none: a run is a command, and its pools are pools."""

WITHOUT: Mapping[tuple[Subject, Facet], str] = {
    ("training", "checks"): "`training-plan` and `training-run` refuse what cannot run; a stack file holds no run",
    ("training", "explain"): "`training-plan` derives the days and dollars of a run, and `explain` shows its pool",
}
"""(Subject, facet that it does not give) → what does the work instead."""
