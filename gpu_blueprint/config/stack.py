"""One environment: all the sections of a stack file, and lookups across them."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from ipaddress import IPv4Network
from typing import Annotated, Any

from pydantic import Field

from ..catalog import Instance, instances, namespaces
from ..catalog.versions import oldest_ami
from ..errors import Problem, near
from ..model import Model
from .aws_names import AccountId, Region, TagKey, TagValue
from .billing import Billing
from .buying import Reservation
from .cluster import Cluster
from .costs import Costs
from .monitoring import Amp, InstallMonitoring, Monitoring
from .network import ExistingVpc, Network
from .pools import Pool
from .scalars import Dollars, Name
from .services import Service
from .tenants import SHARED, Grant, Tenant
from .waivers import Waiver

OWN_TAGS = ("owner", "environment", "cost-center", "managed-by", "pool", "tenant", "Name")
"""Tags that the blueprint sets from other fields, on every resource or on nodes."""

LONGEST_CLUSTER_NAME = 40
"""An IAM role name has at most 64 characters, and the longest suffix takes 22."""


class HelmOverrides(Model):
    """Helm values that replace the values of the blueprint, at your own risk."""

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
    """AWS region; the stack file has it once, as `aws:region`."""
    owner: TagValue
    """Team that is responsible for the environment; a tag on every resource."""
    environment: Name
    """Name of the environment, such as `dev` or `prod`; a tag on every resource."""
    cost_center: TagValue
    """Cost center of the environment, quoted if it is a number; a tag on every resource."""
    account_id: AccountId
    """AWS account, quoted. The program refuses to run in another account."""
    tags: Annotated[dict[TagKey, TagValue], Field(max_length=40)] = {}
    """Further tags on every AWS resource and node."""
    network: Network
    """The VPC."""
    cluster: Cluster
    """The EKS cluster."""
    pools: list[Pool] = Field(min_length=1, max_length=500)
    """GPU pools."""
    reservations: list[Reservation] = []
    """Capacity reservations in this account and region; each should be used by a pool."""
    tenants: list[Tenant] = []
    """Teams and their quotas."""
    hourly_ceiling: Dollars | None = None
    """Most US dollars an hour that the stack may cost with every limit reached, at on-demand prices; `check` refuses
    more."""
    monthly_budget: Dollars | None = None
    """Most US dollars a month that the stack is expected to cost: `check` refuses more, and AWS Budgets raises alarms
    on the way."""
    costs: Costs = Costs()
    """Assumptions of the cost estimate."""
    billing: Billing | None = None
    """Budget alarms, anomaly alerts, tags and detailed billing, run by AWS itself."""
    monitoring: Monitoring | None = None
    """Monitoring of the platform. Default: none."""
    autoscaling: bool = False
    """Install KEDA for the scalers of teams' own programs; a stack with services installs it anyway."""
    services: list[Service] = []
    """Inference services that scale with their load."""
    waivers: list[Waiver] = []
    """Exceptions to policy rules, each for one resource and until a day."""
    helm_overrides: HelmOverrides = HelmOverrides()
    """Helm values that replace the values of the blueprint."""

    @property
    def cluster_name(self) -> str:
        """Name of the EKS cluster, and prefix of the names of its resources."""
        return self.cluster.name or f"gpu-{self.environment}"

    @property
    def has_keda(self) -> bool:
        """True if the stack installs KEDA."""
        return self.autoscaling or bool(self.services)

    @property
    def prometheus_url(self) -> str:
        """Address where KEDA reads metrics; empty without monitoring."""
        return (self.monitoring.url if self.monitoring else None) or ""

    def namespace_of(self, service: Service) -> str:
        """Return the namespace of the service's Deployment."""
        return next(tenant.space for tenant in self.tenants if tenant.name == service.tenant)

    @property
    def all_tags(self) -> dict[str, str]:
        """Tags of every AWS resource and node."""
        own = {"owner": self.owner, "environment": self.environment, "cost-center": self.cost_center}
        return {**self.tags, **own, "managed-by": "gpu-blueprint"}

    @cached_property
    def pools_by_name(self) -> dict[str, Pool]:
        """Name → pool."""
        return {pool.name: pool for pool in self.pools}

    @cached_property
    def grants_by_pool(self) -> dict[str, list[Grant]]:
        """Pool → the quotas of tenants in it, in the order of the file; also for pools that do not exist."""
        found: dict[str, list[Grant]] = {}
        for tenant in self.tenants:
            for pool, count in tenant.gpus.items():
                found.setdefault(pool, []).append(Grant(tenant.name, pool, count))
        return found

    def find_tenant_tag(self, pool: Pool) -> str | None:
        """Return the only tenant with a quota in a pool, `shared` for several tenants, or nothing for none."""
        users = [tenant.name for tenant in self.tenants if tenant.may_use(pool.name)]
        return SHARED if len(users) > 1 else next(iter(users), None)

    def node_tags(self, pool: Pool) -> dict[str, str]:
        """Return the tags of a pool's nodes, which split the bill by pool and tenant."""
        tenant = self.find_tenant_tag(pool)
        return {**self.all_tags, "pool": pool.name, **({"tenant": tenant} if tenant else {})}

    def arn(self, service: str, resource: str, *, region: bool = True) -> str:
        """Build the ARN of a resource of this account."""
        return f"arn:aws:{service}:{self.region if region else ''}:{self.account_id}:{resource}"

    def zones_of(self, pool: Pool) -> list[str]:
        """Return the zones in which a pool launches."""
        return list(pool.zones or self.network.zones)

    def instances_of(self, pool: Pool) -> tuple[Instance, ...]:
        """Return the instance types that a pool may launch in this region."""
        return tuple(row for row in pool.candidates if self.region in row.regions)

    def keeps_images_on_nvme(self, pool: Pool) -> bool:
        """Return whether nodes keep images and pods on local NVMe, which every type of the pool must have."""
        return all(row.local_nvme_gb for row in self.instances_of(pool))

    def quota_of(self, tenant: Tenant) -> dict[str, int]:
        """Return extended resource → count that the tenant may request, summed over its pools."""
        total: Counter[str] = Counter()
        for name, amount in tenant.gpus.items():
            pool = self.pools_by_name[name]
            units = pool.profile.units
            total.update({units[unit]: count for unit, count in pool.by_unit(amount).items()})
        return dict(total)

    def efa_quota_of(self, tenant: Tenant) -> int:
        """Return the count of EFA interfaces that belong to the tenant's GPUs in multi-node pools."""
        total = 0
        for name, amount in tenant.gpus.items():
            pool = self.pools_by_name[name]
            if pool.multi_node and isinstance(amount, int):
                total += amount * pool.candidates[0].efa_interfaces // pool.candidates[0].gpu_devices
        return total

    @cached_property
    def exposed_resources(self) -> dict[str, int]:
        """Every GPU resource that a node can show → count that the ceilings allow.

        A new node may advertise whole GPUs before it cuts them, and Karpenter's ceiling does not count them. So
        ``nvidia.com/gpu`` is always in the mapping, with 0 where no pool hands it out.
        """
        total: Counter[str] = Counter({"nvidia.com/gpu": 0})
        for pool in self.pools:
            total.update(pool.profile.ceiling(pool.max_gpus))
        return dict(sorted(total.items()))

    def problems(self) -> Iterator[Problem]:
        yield from self._zone_problems()
        yield from self._address_problems()
        if len(self.cluster_name) > LONGEST_CLUSTER_NAME:
            path = ("cluster", "name") if self.cluster.name else ("environment",)
            text = f"the cluster name {self.cluster_name!r} is longer than {LONGEST_CLUSTER_NAME}: names of IAM roles would not fit"
            yield Problem("todo", path, text)
        for key in self.tags:
            if key.lower() in (own.lower() for own in OWN_TAGS):
                yield Problem(
                    "todo",
                    ("tags", key),
                    f"{key!r} is set by the blueprint, from the field of that meaning; remove it here",
                )
        key_arn = self.cluster.secrets_key_arn
        if key_arn and key_arn.split(":")[3] != self.region:
            yield Problem(
                "todo",
                ("cluster", "secretsKeyArn"),
                f"the key is in {key_arn.split(':')[3]}, the cluster in {self.region}",
            )
        yield from self._billing_problems()
        yield from self._monitoring_problems()
        for index, pool in enumerate(self.pools):
            yield from (problem.under("pools", index) for problem in self._pool_problems(pool))
        yield from _same_names([pool.name for pool in self.pools], "pools", "name")
        yield from _same_names([tenant.name for tenant in self.tenants], "tenants", "name")
        spaces = [tenant.space for tenant in self.tenants]
        for problem in _same_names(spaces, "tenants", "namespace"):
            if self.tenants[int(problem.path[1])].name not in [
                tenant.name for tenant in self.tenants[: int(problem.path[1])]
            ]:
                yield problem
        yield from self._reservation_problems()
        for name in self.cluster.system_nodes.instance_types:
            if self.region not in instances()[name].regions:
                yield Problem(
                    "todo", ("cluster", "systemNodes", "instanceTypes"), _not_offered(instances()[name], self.region)
                )

    def _reservation_problems(self) -> Iterator[Problem]:
        for index, one in enumerate(self.reservations):
            row = instances()[one.instance_type]
            if self.region not in row.regions:
                yield Problem("todo", ("reservations", index, "instanceType"), _not_offered(row, self.region))

    def _zone_problems(self) -> Iterator[Problem]:
        existing = isinstance(self.network, ExistingVpc)
        for index, zone in enumerate(self.network.zones):
            if zone[:-1] != self.region:
                path = ("network", "subnets") if existing else ("network", "zones", index)
                yield Problem("todo", path, f"{zone!r} is not in the region {self.region}")

    def _address_problems(self) -> Iterator[Problem]:
        services = IPv4Network(self.cluster.service_cidr)
        blocks: list[tuple[tuple[str | int, ...], str]]
        if isinstance(self.network, ExistingVpc):
            blocks = [(("network", "subnets", i, "cidr"), s.cidr) for i, s in enumerate(self.network.subnets) if s.cidr]
        else:
            blocks = [(("network", "cidr"), self.network.cidr)]
        for path, block in blocks:
            if services.overlaps(IPv4Network(block)):
                yield Problem(
                    "todo",
                    path,
                    f"{block!r} overlaps cluster.serviceCidr '{services}'; pods could not reach one of the two",
                )

    def _billing_problems(self) -> Iterator[Problem]:
        if self.billing is None:
            return
        if self.monthly_budget is None:
            text = "alarms need an amount to measure by: add monthlyBudget, the US dollars a month, or remove billing"
            yield Problem("todo", ("billing",), text)
        given = {"topicArn": self.billing.topic_arn, "anomalyMonitorArn": self.billing.anomaly_monitor_arn}
        for field, arn in given.items():
            if arn and arn.split(":")[4] != self.account_id:
                text = f"is of account {arn.split(':')[4]!r}, the stack of {self.account_id!r}; AWS takes only its own"
                yield Problem("todo", ("billing", field), text)

    def _monitoring_problems(self) -> Iterator[Problem]:
        for index, tenant in enumerate(self.tenants if self.monitoring else ()):
            if tenant.space == namespaces.MONITORING:
                path = ("tenants", index, "namespace" if tenant.namespace else "name")
                yield Problem("todo", path, f"{tenant.space!r} is where Prometheus runs; choose another namespace")
        target = self.monitoring.remote_write if isinstance(self.monitoring, InstallMonitoring) else None
        if isinstance(target, Amp) and target.workspace_arn.split(":")[4] != self.account_id:
            text = f"is of account {target.workspace_arn.split(':')[4]!r}, the stack of {self.account_id!r}; its pods may write to their own"
            yield Problem("todo", ("monitoring", "remoteWrite", "workspaceArn"), text)

    def _pool_problems(self, pool: Pool) -> Iterator[Problem]:
        for index, zone in enumerate(pool.zones or []):
            if zone not in self.network.zones:
                yield Problem(
                    "todo",
                    ("zones", index),
                    f"{zone!r} is not a zone of the network {near(zone, self.network.zones, 'it has')}",
                )
        for index, row in enumerate(pool.candidates if pool.instance_types else ()):
            if self.region not in row.regions:
                yield Problem("todo", ("instanceTypes", index), _not_offered(row, self.region))
        if pool.candidates and not pool.instance_types and not self.instances_of(pool):
            sizes = [
                row.gpu_devices
                for row in instances().values()
                if row.gpu_name == pool.gpu and self.region in row.regions
            ]
            if sizes:
                text = (
                    f"{pool.max_gpus} is less than the smallest {pool.gpu} node in {self.region} holds ({min(sizes)})"
                )
                yield Problem("todo", ("maxGpus",), f"{text}: nothing could launch")
            else:
                there = sorted(
                    {row.gpu_name for row in instances().values() if row.gpu_name and self.region in row.regions}
                )
                yield Problem(
                    "todo",
                    ("gpu",),
                    f"no instance type with {pool.gpu} is offered in {self.region}, which has {', '.join(there) or 'no GPUs'}",
                )
        if pool.ami.version is None or pool.ami.row.is_release(pool.ami.version):
            oldest, why = oldest_ami(pool.ami.row, self.cluster.release)
            if pool.ami.row.order(pool.ami.pinned) < pool.ami.row.order(oldest):
                yield Problem(
                    "todo", ("ami", "version"), f"{pool.ami.pinned!r} is too old: use {oldest} or newer ({why})"
                )


def _not_offered(row: Instance, region: str) -> str:
    same = sorted(
        other.instance_type
        for other in instances().values()
        if other.gpu_name == row.gpu_name and region in other.regions
    )
    instead = f"there are {', '.join(same[:4])}" if same else f"it is in {', '.join(sorted(row.regions)[:4])}"
    return f"{row.instance_type!r} is not offered in {region}; {instead}"


def _same_names(names: list[str], collection: str, field: str) -> Iterator[Problem]:
    for index, name in enumerate(names):
        if name in names[:index]:
            reason = f"{name!r} is already the {field} of {collection}.{names.index(name)}"
            path = (collection, index, field)
            yield Problem("name-taken", path, reason, f"choose another {field}", names=(name,))
