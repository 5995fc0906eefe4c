"""Every case of every policy rule; what they are made of stands in policy_cases_stacks."""

from . import (
    policy_cases_cluster,
    policy_cases_iam,
    policy_cases_karpenter,
    policy_cases_mig,
    policy_cases_network,
    policy_cases_nodes,
    policy_cases_operator,
    policy_cases_pools,
    policy_cases_supply_chain,
    policy_cases_teardown,
    policy_cases_tenancy,
)
from .policy_cases_stacks import Case

CASES: tuple[Case, ...] = (
    *policy_cases_pools.CASES,
    *policy_cases_mig.CASES,
    *policy_cases_operator.CASES,
    *policy_cases_nodes.CASES,
    *policy_cases_karpenter.CASES,
    *policy_cases_cluster.CASES,
    *policy_cases_network.CASES,
    *policy_cases_iam.CASES,
    *policy_cases_tenancy.CASES,
    *policy_cases_supply_chain.CASES,
    *policy_cases_teardown.CASES,
)
