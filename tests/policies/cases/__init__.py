"""Every case of every policy rule; what they are made of stands in policy_cases_stacks."""

from . import cluster as policy_cases_cluster
from . import iam as policy_cases_iam
from . import karpenter as policy_cases_karpenter
from . import mig as policy_cases_mig
from . import network as policy_cases_network
from . import nodes as policy_cases_nodes
from . import operator as policy_cases_operator
from . import pools as policy_cases_pools
from . import supply_chain as policy_cases_supply_chain
from . import teardown as policy_cases_teardown
from . import tenancy as policy_cases_tenancy
from .stacks import Case

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
