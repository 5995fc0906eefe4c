"""What a stack file may say, and reading one."""

from .billing import Billing
from .cluster import Cluster, PrivateApi, PublicApi
from .disruption import Disruption
from .headroom import Headroom
from .hours import Hours
from .monitoring import ExistingMonitoring, InstallMonitoring, Monitoring
from .network import ExistingVpc, NewVpc
from .parse import StackFile, load, open_stack, parse, part, warnings
from .pools import Pool
from .services import OwnScaling, Scaling, Service
from .source import PROJECT, REGION_KEY, STACK_KEY, Source, existing_stacks, stack_path
from .stack import StackConfig
from .tenants import Tenant

__all__ = [
    "PROJECT",
    "REGION_KEY",
    "STACK_KEY",
    "Billing",
    "Cluster",
    "Disruption",
    "ExistingMonitoring",
    "ExistingVpc",
    "Headroom",
    "Hours",
    "InstallMonitoring",
    "Monitoring",
    "NewVpc",
    "OwnScaling",
    "Pool",
    "PrivateApi",
    "PublicApi",
    "Scaling",
    "Service",
    "Source",
    "StackConfig",
    "StackFile",
    "Tenant",
    "existing_stacks",
    "load",
    "open_stack",
    "parse",
    "part",
    "stack_path",
    "warnings",
]
