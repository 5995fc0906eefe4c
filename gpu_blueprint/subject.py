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

Facet = Literal["checks", "costs", "changes"]
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
    ("images", "costs"): "the assumptions of the cluster name what is left out, such as ECR's storage of cached images",
    ("tenants", "costs"): "the estimate divides the costs of pools among tenants by their grants",
    ("queues", "costs"): "Kueue runs on system nodes, which the cluster pays",
    ("services", "costs"): "replicas run on nodes of pools, and `replicas.min` counts in the costs of the pool",
    ("training", "costs"): "`training-plan` prices a run, which the estimate of its pool holds",
    ("images", "changes"): "other images change pods and nodes, which the lists of resources, drains and models show",
    (
        "keys",
        "changes",
    ): "the foundation refuses keys that cannot change, and losses name each volume that is replaced",
    ("training", "changes"): "a run is no part of a plan; drains name the pools whose runs end",
    ("money", "changes"): "the engine compares the estimates of both sides itself",
}
"""(Subject, facet that it does not give) → what does the work instead."""
