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

Facet = Literal["checks", "costs", "changes", "alerts", "pages", "series", "policies", "probes"]
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
    ("images", "alerts"): "GpuPodNotStarting shows an image that no node can pull, GpuImagePullSlow a large image",
    ("storage", "alerts"): "GpuPodNotStarting shows a mount that fails",
    ("keys", "alerts"): "GpuPodNotStarting shows a volume whose key is disabled; CloudTrail has the calls to KMS",
    ("cluster", "pages"): "the dashboards of kube-prometheus-stack show the control plane, and CoreDNS",
    ("images", "pages"): "the page of a pool shows its pods; slow pulls are an alert",
    ("storage", "pages"): "CloudWatch has the metrics of S3, EFS and FSx",
    ("keys", "pages"): "CloudTrail has the calls to KMS",
    (
        "training",
        "pages",
    ): "the page of the tenant shows the GPUs of its runs; docs/profiling.md looks into one",
    ("monitoring", "pages"): "the alerts under Monitoring itself fire when series are missing",
    ("cluster", "series"): "its alerts read the metrics of the programs themselves",
    ("images", "series"): "the kubelet's histogram of pulls is recorded with the pools",
    ("tenants", "series"): "the series of pools have the label `tenant`",
    ("services", "series"): "KEDA and kube-state-metrics export replicas and scalers",
    ("storage", "series"): "CloudWatch has the metrics of S3, EFS and FSx",
    ("keys", "series"): "no program of the cluster measures keys",
    ("training", "series"): "JobSet and kube-state-metrics export the state of runs",
    ("monitoring", "series"): "Prometheus exports series about itself",
    ("money", "series"): "the prices of GPUs and what idle GPUs cost are recorded with the pools",
    ("cluster", "policies"): "RBAC gives tenants no right to objects of the cluster",
    ("images", "policies"): "the policy of pods judges images, beside all else of a pod",
    ("pools", "policies"): "the policy of pods judges tolerations, node selectors and requests",
    ("services", "policies"): "a quota and the policy of pods bound what a scaler may start",
    ("keys", "policies"): "tenants name no keys: classes and buckets of the platform do",
    ("training", "policies"): "a run is Jobs and pods, which the policies of tenants and queues judge",
    ("monitoring", "policies"): "RBAC gives tenants monitors in their namespace and nothing else",
    ("money", "policies"): "quotas bound what tenants can spend",
    ("cluster", "probes"): "`blueprint lifecycle` builds and destroys it with Pulumi's engine",
    ("images", "probes"): "kwok's nodes pull nothing; `blueprint images` lists what real nodes pull",
    ("keys", "probes"): "the lab has no KMS",
    ("training", "probes"): "the probes of pools and queues start gangs; tests/training plays runs on JobSet",
    ("monitoring", "probes"): "promtool runs every rule in its tests",
    ("money", "probes"): "the probes of pools say what each launch costs",
}
"""(Subject, facet that it does not give) → what does the work instead."""
