"""One environment: everything that a stack file says, and what must agree across its parts."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from ..catalog import Instance
from ..errors import Problem
from ..model import Model
from .billing import Billing
from .buying import Reservation
from .cluster import Cluster
from .costs import Costs
from .monitoring import Monitoring
from .network import Network
from .pools import Pool
from .scalars import AccountId, Dollars, Name, Region, TagKey, TagValue
from .services import Service
from .tenants import SHARED, Grant, Tenant
from .waivers import Waiver

OWN_TAGS = ("owner", "environment", "cost-center", "managed-by", "pool", "tenant", "Name")
"""Tags that are set from other fields, on everything or on nodes."""


class HelmOverrides(Model):
    """Helm values laid over what the blueprint renders: the one way past it, and at your own risk."""

    karpenter: dict[str, Any] = {}
    """Values of the karpenter chart."""
    gpu_operator: dict[str, Any] = {}
    """Values of the gpu-operator chart."""
    kube_prometheus_stack: dict[str, Any] = {}
    """Values of the kube-prometheus-stack chart."""
    keda: dict[str, Any] = {}
    """Values of the keda chart."""


class StackConfig(Model):
    """One environment: an EKS cluster, its GPU pools and the teams that use them."""

    region: Region
    """AWS region; the stack file says it once, as `aws:region`."""
    owner: TagValue
    """Team that answers for the environment; a tag on everything."""
    environment: Name
    """Name of the environment, such as `dev` or `prod`; a tag on everything."""
    cost_center: TagValue
    """Whom it is billed to, quoted if it is a number; a tag on everything."""
    account_id: AccountId
    """AWS account, quoted. The program refuses to run in another one."""
    tags: Annotated[dict[TagKey, TagValue], Field(max_length=40)] = {}
    """Further tags on every AWS resource and node."""
    network: Network
    """The VPC."""
    cluster: Cluster
    """The EKS cluster."""
    pools: list[Pool] = Field(min_length=1, max_length=500)
    """GPU pools."""
    reservations: list[Reservation] = []
    """Capacity that is reserved in this account and region; each should be used by a pool."""
    tenants: list[Tenant] = []
    """Teams and their shares."""
    hourly_ceiling: Dollars | None = None
    """US dollars an hour that everything may cost with every limit reached, on demand; `check` refuses more."""
    monthly_budget: Dollars | None = None
    """US dollars a month that may be expected: `check` refuses more, and AWS Budgets warns on the way."""
    costs: Costs = Costs()
    """What the cost estimate assumes."""
    billing: Billing | None = None
    """What AWS itself watches: budget alarms, anomalies, tags, detailed billing."""
    monitoring: Monitoring | None = None
    """What watches the platform; nothing unless given."""
    autoscaling: bool = False
    """Whether KEDA is installed, for the scalers of teams' own programs; services bring it along."""
    services: list[Service] = []
    """Inference services that scale with their load."""
    waivers: list[Waiver] = []
    """Exceptions to policy rules, each for one resource and a while."""
    helm_overrides: HelmOverrides = HelmOverrides()
    """Helm values laid over what the blueprint renders."""

    @property
    def cluster_name(self) -> str:
        """Name of the EKS cluster and of what is named after it."""
        return self.cluster.name or f"gpu-{self.environment}"

    @property
    def has_keda(self) -> bool:
        """Whether KEDA is installed."""
        return self.autoscaling or bool(self.services)

    @property
    def prometheus_url(self) -> str:
        """The address where KEDA reads metrics; empty if nothing is scaled."""
        return (self.monitoring.url if self.monitoring else None) or ""

    def namespace_of(self, service: Service) -> str:
        """The namespace of the service's Deployment."""
        return next(tenant.space for tenant in self.tenants if tenant.name == service.tenant)

    @property
    def all_tags(self) -> dict[str, str]:
        """The tags that every AWS resource and node carries."""
        own = {"owner": self.owner, "environment": self.environment, "cost-center": self.cost_center}
        return {**self.tags, **own, "managed-by": "gpu-blueprint"}

    @cached_property
    def pools_by_name(self) -> dict[str, Pool]:
        """Pools by name."""
        return {pool.name: pool for pool in self.pools}

    @cached_property
    def grants_by_pool(self) -> dict[str, list[Grant]]:
        """Pool → the tenants' quotas in it, in the order of the file; also for pools that do not exist."""
        found: dict[str, list[Grant]] = {}
        for tenant in self.tenants:
            for pool, count in tenant.gpus.items():
                found.setdefault(pool, []).append(Grant(tenant.name, pool, count))
        return found

    def tenant_tag(self, pool: Pool) -> str | None:
        """The tenant that has a quota in a pool, `shared` if several have one, nothing if nobody has."""
        users = [tenant.name for tenant in self.tenants if tenant.may_use(pool.name)]
        return SHARED if len(users) > 1 else next(iter(users), None)

    def node_tags(self, pool: Pool) -> dict[str, str]:
        """The tags that a pool's nodes carry, by which their cost can be told apart."""
        tenant = self.tenant_tag(pool)
        return {**self.all_tags, "pool": pool.name, **({"tenant": tenant} if tenant else {})}

    def arn(self, service: str, resource: str, *, region: bool = True) -> str:
        """Build the ARN of a resource of this account."""
        return f"arn:aws:{service}:{self.region if region else ''}:{self.account_id}:{resource}"

    def zones_of(self, pool: Pool) -> list[str]:
        """The zones in which a pool launches."""
        return list(pool.zones or self.network.zones)

    def instances_of(self, pool: Pool) -> tuple[Instance, ...]:
        """The instance types that a pool may launch in this region."""
        return tuple(row for row in pool.candidates if self.region in row.regions)

    def keeps_images_on_nvme(self, pool: Pool) -> bool:
        """Whether local NVMe takes the place of the volume for images and pods: on every type, or on none."""
        return all(row.local_nvme_gb for row in self.instances_of(pool))

    def quota_of(self, tenant: Tenant) -> dict[str, int]:
        """Extended resource → how many of it the tenant may request, pools that share a name added up."""
        total: Counter[str] = Counter()
        for name, grant in tenant.gpus.items():
            units = self.pools_by_name[name].profile.units
            counts = self.pools_by_name[name].by_unit(grant)
            total.update({units[unit]: count for unit, count in counts.items()})
        return dict(total)

    def efa_quota_of(self, tenant: Tenant) -> int:
        """How many EFA interfaces come with the GPUs that the tenant may use in pools for jobs on several nodes."""
        total = 0
        for name, grant in tenant.gpus.items():
            pool = self.pools_by_name[name]
            if pool.multi_node and isinstance(grant, int):
                total += grant * pool.candidates[0].efa_interfaces // pool.candidates[0].gpu_devices
        return total

    @cached_property
    def exposed_resources(self) -> dict[str, int]:
        """Every GPU resource that some node can ever show → how many of it the ceilings allow.

        A fresh node may advertise whole GPUs before they are cut, and Karpenter's ceiling does not hold them back:
        ``nvidia.com/gpu`` is always in the list, with 0 where no pool hands it out.
        """
        total: Counter[str] = Counter({"nvidia.com/gpu": 0})
        for pool in self.pools:
            total.update(pool.profile.ceiling(pool.max_gpus))
        return dict(sorted(total.items()))

    def problems(self) -> Iterator[Problem]:
        for key in self.tags:
            if key.lower() in (own.lower() for own in OWN_TAGS):
                reason = f"the blueprint sets the tag {key!r} itself, from another field"
                yield Problem("tag-taken", ("tags", key), reason, "remove it here")
        yield from _same_names([pool.name for pool in self.pools], "pools", "name")
        yield from _same_names([tenant.name for tenant in self.tenants], "tenants", "name")
        first = {tenant.name: index for index, tenant in reversed([*enumerate(self.tenants)])}
        for problem in _same_names([tenant.space for tenant in self.tenants], "tenants", "namespace"):
            index = int(problem.path[1])
            if first[self.tenants[index].name] == index:  # a repeated name is reported as such
                yield problem


def _same_names(names: list[str], collection: str, field: str) -> Iterator[Problem]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Problem(
                "todo",
                (collection, index, field),
                f"{name!r} is already the {field} of {collection}.{names.index(name)}; choose another",
            )
