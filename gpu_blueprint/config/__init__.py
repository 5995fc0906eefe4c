"""The fields of a stack file: pydantic models, their defaults, and rules that one model sees alone."""

from .billing import Billing
from .cluster import Cluster, PrivateApi, PublicApi
from .cpu_pools import CpuPool
from .disruption import Disruption
from .headroom import Headroom
from .hours import Hours
from .identities import Identity
from .monitoring import ExistingMonitoring, InstallMonitoring, Monitoring
from .network import ExistingVpc, NewVpc
from .pools import Pool
from .queueing import Queueing
from .services import OwnScaling, Scaling, Service
from .sizes import PodSize
from .stack import StackConfig
from .tenants import Tenant, TenantQueue

__all__ = [
    "Billing",
    "Cluster",
    "CpuPool",
    "Disruption",
    "ExistingMonitoring",
    "ExistingVpc",
    "Headroom",
    "Hours",
    "Identity",
    "InstallMonitoring",
    "Monitoring",
    "NewVpc",
    "OwnScaling",
    "PodSize",
    "Pool",
    "PrivateApi",
    "PublicApi",
    "Queueing",
    "Scaling",
    "Service",
    "StackConfig",
    "Tenant",
    "TenantQueue",
]
