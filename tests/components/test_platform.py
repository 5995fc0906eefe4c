"""The platform as one piece: its components, its providers, its protections, and that it is the same every time."""

from collections import Counter
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from components.cluster.cluster import remove_creator_admin
from gpu_blueprint.errors import ProgramError
from gpu_blueprint.plan import UNKNOWN, PlannedResource, has_unknown, record
from gpu_blueprint.plan.recorder import RecordingMonitor

from ..support import builders
from ..support.plans import (
    SHIPPED,
    Plan,
    fresh_plan_of,
    inside_cluster,
    is_component,
    is_provider,
    kind,
    managed,
    one,
    package,
    plan,
    plan_of,
    shipped_config,
    shipped_file,
    some,
)

STACK = "pulumi:pulumi:Stack"
PLATFORM = "gpu-blueprint:components:Platform"
COUNTS = {"dev": 117, "research": 144, "prod": 148}
POOLS = {
    "dev": ["shared-l4"],
    "research": ["a100-train", "h100-slices"],
    "prod": ["infer-a10g", "infer-l40s", "infer-l4", "train-h100"],
}
FURTHER = {
    "dev": {("PoolHours", "shared-l4")},
    "research": set[tuple[str, str]](),
    "prod": {
        ("Billing", "gpu-prod-billing"),
        ("Monitoring", "gpu-prod-monitoring"),
        ("Dashboards", "gpu-prod-monitoring-dashboards"),
        ("Keda", "gpu-prod-keda"),
        ("GpuAutoscaler", "serving/chat"),
        ("GpuAutoscaler", "serving/ranking"),
        ("HeadroomSpace", "gpu-prod-headroom"),
    },
}
TENANTS = {"dev": ["sandbox"], "research": ["language", "robotics", "vision"], "prod": ["serving", "training"]}
COMMON = {
    "Platform": "", "Network": "-network", "Cluster": "-cluster", "Access": "-access", "SystemNodes": "-system",
    "Karpenter": "-karpenter", "InterruptionQueue": "-karpenter-interruption", "GpuOperator": "-gpu-operator",
    "Storage": "-storage",
}  # fmt: skip
ROLES = ("-cluster-control-plane", "-system", "-karpenter", "-karpenter-nodes", "-aws-ebs-csi-driver")

CHOSEN = {
    "authenticationMode": "API",
    "bootstrapSelfManagedAddons": False,
    "corednsAddonOptions": {"enabled": False},
    "createInstanceRole": False,
    "createOidcProvider": False,
    "endpointPrivateAccess": True,
    "kubeProxyAddonOptions": {"enabled": False},
    "kubernetesServiceIpAddressRange": "172.20.0.0/16",
    "skipDefaultNodeGroup": True,
    "skipDefaultSecurityGroups": True,
    "upgradePolicy": {"supportType": "STANDARD"},
    "useDefaultVpcCni": True,
}
"""Inputs of the cluster that are the same in every stack: what pulumi-eks would otherwise decide by itself."""
FROM_CONFIG = {
    "deletionProtection", "enabledClusterLogTypes", "encryptionConfigKeyArn", "endpointPublicAccess", "name",
    "serviceRole", "subnetIds", "version", "vpcId",
}  # fmt: skip


def cluster(planned: Plan) -> PlannedResource:
    return one(planned, "eks:index:Cluster")


@pytest.mark.parametrize("stack", SHIPPED)
def test_every_resource_has_a_component_as_parent(stack: str) -> None:
    components = {found.urn for found in plan(stack) if is_component(found)}
    orphans = [found.urn for found in plan(stack) if found.parent not in components]
    assert orphans == [one(plan(stack), STACK).urn, one(plan(stack), PLATFORM).urn]
    assert one(plan(stack), PLATFORM).parent == one(plan(stack), STACK).urn


@pytest.mark.parametrize("stack", SHIPPED)
def test_every_resource_goes_through_an_explicit_provider_of_its_package(stack: str) -> None:
    providers = {found.urn: package(found) for found in plan(stack) if is_provider(found)}
    assert sorted(providers.values()) == ["aws", "eks", "kubernetes"]
    lost = [found.urn for found in managed(plan(stack)) if providers.get(found.provider) != package(found)]
    assert not lost


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_aws_provider_refuses_another_account_and_tags_everything(stack: str) -> None:
    provider, config = one(plan(stack), "pulumi:providers:aws").inputs, shipped_config(stack)
    assert provider["allowedAccountIds"] == f'["{config.account_id}"]'
    assert provider["region"] == config.region
    for tag, value in config.all_tags.items():
        assert f'"{tag}": "{value}"' in provider["defaultTags"]


def test_pulumi_eks_is_handed_our_aws_provider_and_the_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    """Default providers are off: without ours, the cluster's own children would have none."""
    seen: list[Any] = []
    register = RecordingMonitor.RegisterResource

    def watch(self: RecordingMonitor, request: Any) -> Any:
        if request.type == "eks:index:Cluster":
            seen.append(request)
        return register(self, request)

    monkeypatch.setattr(RecordingMonitor, "RegisterResource", watch)
    planned = fresh_plan_of(builders.stack())
    (request,) = seen
    assert request.providers["aws"].rsplit("::", 1)[0] == one(planned, "pulumi:providers:aws").urn
    assert len(request.transforms) == 1


def test_rendering_a_platform_asks_the_cloud_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answer = RecordingMonitor.Invoke

    def watch(self: RecordingMonitor, request: Any) -> Any:
        asked.append(request.tok)
        return answer(self, request)

    monkeypatch.setattr(RecordingMonitor, "Invoke", watch)
    fresh_plan_of(builders.stack())
    assert set(asked) <= {"pulumi:pulumi:getResource"}


def test_a_program_that_asks_the_cloud_is_refused() -> None:
    with pytest.raises(ProgramError, match="getCallerIdentity"):
        record("test", {}, lambda: pulumi.export("account", aws.get_caller_identity().account_id))


def test_two_resources_of_one_name_are_refused() -> None:
    def program() -> None:
        for _ in range(2):
            aws.sqs.Queue("twice")

    with pytest.raises(ProgramError, match="'twice'"):
        record("test", {}, program)


@pytest.mark.parametrize("stack", SHIPPED)
def test_urns_are_unique_and_name_their_stack(stack: str) -> None:
    urns = [found.urn for found in plan(stack)]
    assert len(set(urns)) == len(urns)
    assert all(urn.startswith(f"urn:pulumi:{stack}::gpu-blueprint::") for urn in urns)


def test_a_stack_renders_the_same_twice_and_after_others() -> None:
    """Several stacks in one process leave no trace in each other; only the order of what waits for nothing may differ."""
    before = {found.urn: found.as_json() for found in plan("dev")}
    for stack in ("prod", "dev"):
        again = {found.urn: found.as_json() for found in record(stack, shipped_file(stack))}
    assert again == before


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_shipped_stack_has_so_many_resources(stack: str) -> None:
    assert len(plan(stack)) == COUNTS[stack]


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_shipped_stack_is_made_of_these_components(stack: str) -> None:
    name = f"gpu-{stack}"
    expected = {
        *((kind_, name + role) for kind_, role in COMMON.items()),
        *(("ServiceRole", name + role) for role in ROLES),
        *(("Addons", name + role) for role in ("-addons", "-node-addons")),
        *(("GpuPool", pool) for pool in POOLS[stack]),
        *(("TenantSpace", f"tenant-{tenant}") for tenant in TENANTS[stack]),
        *FURTHER[stack],
    }
    assert {(kind(found), found.name) for found in plan(stack) if is_component(found)} == expected


@pytest.mark.parametrize("protection", [True, False])
def test_deletion_protection_guards_the_cluster_in_eks_and_in_pulumi(protection: bool) -> None:
    planned = plan_of(builders.stack(cluster=builders.cluster(deletionProtection=protection)))
    assert cluster(planned).inputs["deletionProtection"] is protection
    protected = [found.urn for found in planned if found.options.get("protect")]
    assert protected == ([cluster(planned).urn] if protection else [])


@pytest.mark.parametrize("stack", SHIPPED)
def test_only_pools_and_their_classes_may_take_45_minutes_to_go(stack: str) -> None:
    slow = {found.urn: found.options["customTimeouts"] for found in plan(stack) if "customTimeouts" in found.options}
    expected = [*some(plan(stack), "NodePool"), *some(plan(stack), "EC2NodeClass")]
    assert slow == {found.urn: {"delete": "45m"} for found in expected}


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_kubernetes_provider_is_told_which_cluster_it_serves(stack: str) -> None:
    """While the kubeconfig is unknown, a constant identifier keeps everything inside from being planned for replacement."""
    inputs = one(plan(stack), "pulumi:providers:kubernetes").inputs
    assert inputs["kubeconfig"] == UNKNOWN
    assert inputs["clusterIdentifier"] == f"gpu-{stack}"


@pytest.mark.parametrize("stack", SHIPPED)
def test_no_input_inside_the_cluster_waits_for_the_cloud(stack: str) -> None:
    """Only secrets of the stack's own config are not known offline."""
    waiting = [found for found in inside_cluster(plan(stack)) if has_unknown(found.inputs)]
    assert [found.urn for found in waiting if kind(found) != "Secret"] == []


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_cluster_leaves_nothing_to_pulumi_eks(stack: str) -> None:
    inputs, config = dict(cluster(plan(stack)).inputs), shipped_config(stack)
    public = {"publicAccessCidrs"} if config.cluster.api.access == "public" else set()
    assert set(inputs) == {*CHOSEN, *FROM_CONFIG, *public}
    assert {name: inputs[name] for name in CHOSEN} == CHOSEN
    assert inputs["endpointPublicAccess"] is bool(public)
    assert "0.0.0.0/0" not in inputs.get("publicAccessCidrs", [])
    assert (inputs["name"], inputs["version"]) == (f"gpu-{stack}", "1.36")
    assert len(inputs["subnetIds"]) >= 2
    assert inputs["serviceRole"] == {"$resource": one(plan(stack), "aws:iam/role:Role", "-cluster-control-plane").urn}


def test_an_existing_vpc_is_used_as_it_is() -> None:
    subnets = [{"id": f"subnet-0a1b2c3{zone}", "zone": f"us-east-1{zone}"} for zone in "ab"]
    planned = plan_of(builders.stack(network={"mode": "existing", "vpcId": "vpc-0a1b2c3d", "subnets": subnets}))
    made = Counter(found.type for found in planned if found.type.startswith("aws:ec2"))
    assert made == {"aws:ec2/launchTemplate:LaunchTemplate": 1}
    assert cluster(planned).inputs["vpcId"] == "vpc-0a1b2c3d"
    assert cluster(planned).inputs["subnetIds"] == ["subnet-0a1b2c3a", "subnet-0a1b2c3b"]


def transformed(type_: str, props: dict[str, Any]) -> pulumi.ResourceTransformResult | None:
    opts = pulumi.ResourceOptions(protect=True)
    args = pulumi.ResourceTransformArgs(custom=True, type_=type_, name="any", props=props, opts=opts)
    return remove_creator_admin(args)


@pytest.mark.parametrize(
    "given", [{"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True}, None]
)
def test_whoever_creates_the_cluster_is_no_admin_by_that(given: dict[str, Any] | None) -> None:
    props = {"name": "any", **({"accessConfig": given} if given else {})}
    result = transformed("aws:eks/cluster:Cluster", props)
    assert result is not None and result.opts.protect
    expected = {**(given or {}), "bootstrapClusterCreatorAdminPermissions": False}
    assert result.props == {"name": "any", "accessConfig": expected}
    assert props.get("accessConfig") == given


def test_the_transform_leaves_other_resources_alone() -> None:
    assert transformed("aws:iam/role:Role", {"name": "any"}) is None


LIMITS = {
    ("aws:iam/role:Role", "name"): 64,
    ("aws:iam/policy:Policy", "name"): 128,
    ("aws:sqs/queue:Queue", "name"): 80,
    ("aws:ec2/launchTemplate:LaunchTemplate", "namePrefix"): 99,
    ("aws:ec2/placementGroup:PlacementGroup", "name"): 255,
    ("aws:cloudwatch/eventRule:EventRule", "namePrefix"): 64 - 26,
    ("aws:eks/nodeGroup:NodeGroup", "nodeGroupNamePrefix"): 63 - 26,
}
"""How long AWS lets a name be; Terraform's provider keeps 26 characters of it behind a prefix."""


@pytest.mark.parametrize(("type_", "field"), LIMITS)
def test_names_fit_aws_even_when_the_user_takes_the_longest(type_: str, field: str) -> None:
    longest = "n" * 40
    static = {"name": longest, "instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 1, "maxGpus": 1}
    several = {"name": "m" * 40, "instanceTypes": ["p5.48xlarge"], "zones": ["us-east-1a"], "multiNode": {}}
    pools = [builders.pool(**static), builders.pool(**several)]
    found = some(plan_of(builders.stack(cluster=builders.cluster(name=longest), pools=pools)), type_)
    names = [made.inputs[field] for made in found]
    assert names
    assert [name for name in names if len(name) > LIMITS[type_, field]] == []
