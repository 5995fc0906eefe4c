"""Every case of every policy rule, in modules named after the modules of the rules; stacks.py builds their stacks."""

from . import (
    cluster,
    cluster_components,
    cluster_evasions,
    cost,
    disruption,
    gpu_operator,
    gpu_pools,
    iam,
    network,
    node_classes,
    node_overlays,
    readable,
    subnets,
    supply_chain,
    tags,
    teardown,
    tenancy,
    tenancy_admins,
)
from .stacks import Case

CASES: tuple[Case, ...] = (
    *gpu_pools.CASES,
    *node_overlays.CASES,
    *gpu_operator.CASES,
    *node_classes.CASES,
    *disruption.CASES,
    *cluster.CASES,
    *cluster_components.CASES,
    *cluster_evasions.CASES,
    *network.CASES,
    *subnets.CASES,
    *iam.CASES,
    *tenancy.CASES,
    *tenancy_admins.CASES,
    *supply_chain.CASES,
    *tags.CASES,
    *cost.CASES,
    *teardown.CASES,
    *readable.CASES,
)
