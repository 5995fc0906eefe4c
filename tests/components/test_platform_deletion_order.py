"""A destroy can always finish: whoever is needed to take something away goes after it."""

from typing import Any

import pytest

from gpu_blueprint.plan import PlannedResource

from ..support import builders
from ..support.deletion import DestroyOrder, assert_order, dependencies_of
from ..support.plans import SHIPPED, Plan, inside_cluster, kind, one, plan, plan_of, some

MULTI_NODE = {"instanceTypes": ["p5.48xlarge"], "zones": ["us-east-1a"], "multiNode": {}}
MADE: dict[str, dict[str, Any]] = {
    "static": builders.pool(name="static", instanceTypes=["g6.xlarge"], zones=["us-east-1a"], staticNodes=2, maxGpus=2),
    "multi-node": builders.pool(name="multi-node", **MULTI_NODE),
    "shared": builders.pool(name="shared", sharing={"mode": "time-slicing", "replicas": 2}),
}


def made() -> Plan:
    """A stack with what no shipped one has."""
    cluster = builders.cluster(api={"access": "private", "allowedCidrs": ["10.9.0.0/16"]})
    return plan_of(builders.stack(cluster=cluster, pools=list(MADE.values()), tenants=[builders.tenant(gpus={})]))


@pytest.fixture(params=[*SHIPPED, "made"])
def planned(request: pytest.FixtureRequest) -> Plan:
    return made() if request.param == "made" else plan(request.param)


def release(planned: Plan, part: str) -> PlannedResource:
    return one(planned, "Release", part)


def cluster(planned: Plan) -> PlannedResource:
    return one(planned, "eks:index:Cluster")


def below(planned: Plan, component: PlannedResource) -> list[PlannedResource]:
    """What a component holds, at any depth."""
    inside = {component.urn}
    for found in planned:
        inside |= {found.urn} if found.parent in inside else set()
    return [found for found in planned if found.urn in inside - {component.urn}]


def test_a_node_pool_goes_before_its_class_and_both_before_karpenter(planned: Plan) -> None:
    for pool in some(planned, "NodePool"):
        of_pool = [found for found in planned if found.parent == pool.parent]
        (node_class,) = [found for found in of_pool if kind(found) == "EC2NodeClass"]
        assert_order(planned, pool, node_class, release(planned, "-controller"), release(planned, "-karpenter-crd"))


def test_overlays_outlive_the_node_pools_that_they_describe(planned: Plan) -> None:
    overlays = some(planned, "NodeOverlay")
    for overlay in overlays:
        of_pool = [found for found in planned if found.parent == overlay.parent]
        (pool,) = [found for found in of_pool if kind(found) == "NodePool"]
        assert_order(planned, pool, overlay, release(planned, "-controller"))


def test_karpenter_keeps_what_it_drains_nodes_with(planned: Plan) -> None:
    """Without nodes to run on, identity, permissions or its queue, the controller could not end a single node."""
    queue = below(planned, one(planned, "InterruptionQueue"))
    roles = [*some(planned, "ServiceRole", "-karpenter")]
    assert len(roles) == 2
    permissions = [found for role in roles for found in below(planned, role)]
    assert {kind(found) for found in queue} == {"Queue", "QueuePolicy", "EventRule", "EventTarget"}
    assert {kind(found) for found in permissions} == {"Role", "Policy", "RolePolicyAttachment"}
    needed = [
        one(planned, "NodeGroup", "-system-group"),
        one(planned, "PodIdentityAssociation"),
        one(planned, "AccessEntry", "-karpenter-nodes"),
        *some(planned, "Addon"),
    ]
    assert_order(
        planned, release(planned, "-controller"), release(planned, "-karpenter-crd"), [*needed, *queue, *permissions]
    )


def test_what_lives_in_the_cluster_goes_before_it_and_its_network_after_it(planned: Plan) -> None:
    inside = [
        *inside_cluster(planned),
        *some(planned, "NodeGroup"),
        *some(planned, "AccessEntry"),
        *some(planned, "AccessPolicyAssociation"),
        *some(planned, "PodIdentityAssociation"),
        *some(planned, "Addon"),
    ]
    assert_order(planned, inside, cluster(planned))
    network = below(planned, one(planned, "Network"))
    if some(planned, "aws:ec2/vpc:Vpc"):
        assert {"Subnet", "Route", "NatGateway", "VpcEndpoint"} <= {kind(found) for found in network}
        assert_order(planned, cluster(planned), network)
    else:
        assert network == []


def test_both_kinds_of_network_are_looked_at() -> None:
    assert {bool(some(found, "aws:ec2/vpc:Vpc")) for found in (made(), *map(plan, SHIPPED))} == {True, False}


def test_the_cluster_goes_before_its_role_key_and_log_group(planned: Plan) -> None:
    """EKS would write its log group anew as long as the cluster lives."""
    component = one(planned, "gpu-blueprint:components:Cluster")
    kinds = {"Role", "RolePolicyAttachment", "Key", "LogGroup"}
    others = [found for found in below(planned, component) if kind(found) in kinds]
    assert {kind(found) for found in others} == kinds
    assert_order(planned, cluster(planned), others)


def test_the_way_into_the_cluster_stays_open_until_all_inside_is_gone(planned: Plan) -> None:
    admins = some(planned, "AccessPolicyAssociation", "AmazonEKSClusterAdminPolicy")
    principals = {found.inputs["principalArn"] for found in admins}
    entries = [found for found in some(planned, "AccessEntry") if found.inputs["principalArn"] in principals]
    assert len(entries) == len(principals) > 0
    assert_order(planned, inside_cluster(planned), one(planned, "pulumi:providers:kubernetes"), admins)
    assert_order(planned, admins, entries)


def test_networks_that_may_reach_a_private_api_may_until_all_inside_is_gone() -> None:
    rules = some(made(), "SecurityGroupIngressRule")
    assert [found.inputs["cidrIpv4"] for found in rules] == ["10.9.0.0/16"]
    assert_order(made(), inside_cluster(made()), rules, cluster(made()))


def test_tenants_volumes_can_be_unmounted_and_deleted(planned: Plan) -> None:
    namespaces = some(planned, "Namespace")
    driver = one(planned, "Addon", "aws-ebs-csi-driver")
    permissions = below(planned, one(planned, "ServiceRole", "aws-ebs-csi-driver"))
    assert_order(planned, [*namespaces, release(planned, "-controller")], driver, permissions)


def test_a_tenants_rules_go_before_its_namespace(planned: Plan) -> None:
    for tenant in some(planned, "TenantSpace"):
        inside = below(planned, tenant)
        (namespace,) = [found for found in inside if kind(found) == "Namespace"]
        assert_order(planned, [found for found in inside if found != namespace], namespace)


def test_nodes_go_before_the_addons_that_make_them_ready(planned: Plan) -> None:
    """The system nodes' own work ends first, then the nodes, then their network and identity agents."""
    first = [found for found in some(planned, "Addon") if "-node-addons-" not in found.name]
    last = some(planned, "Addon", "-node-addons-")
    assert len(last) == 3
    assert_order(planned, first, one(planned, "NodeGroup", "-system-group"), last)


def test_gpu_nodes_go_before_the_operator_that_serves_them(planned: Plan) -> None:
    operator = release(planned, "-gpu-operator-release")
    nodes = [
        *some(planned, "NodePool"),
        *(found for found in some(planned, "NodeGroup") if "-system-" not in found.name),
    ]
    assert_order(planned, nodes, operator, one(planned, "Namespace", "-gpu-operator-"))


def test_nodes_of_jobs_on_several_nodes_go_before_their_placement_group() -> None:
    needed = [
        found for found in below(made(), one(made(), "Efa")) if kind(found) in ("SecurityGroup", "PlacementGroup")
    ]
    assert len(needed) == 2
    assert_order(made(), one(made(), "NodePool", "multi-node"), one(made(), "EC2NodeClass", "multi-node"), needed)


def test_every_resource_is_deleted_exactly_once(planned: Plan) -> None:
    waves = DestroyOrder(planned).waves()
    assert sorted(urn for wave in waves for urn in wave) == sorted(found.urn for found in planned)
    assert waves[-1] == {one(planned, "pulumi:pulumi:Stack").urn}
    places = {urn: place for place, wave in enumerate(waves) for urn in wave}
    for urn, edges in dependencies_of(planned).items():
        assert all(places[urn] < places[edge] for edge in edges)


def resource(name: str, type_: str = "aws:sqs/queue:Queue", **more: Any) -> PlannedResource:
    return PlannedResource(
        urn=name, type=type_, name=name, **{"parent": "", "custom": not type_.startswith("gpu-blueprint"), **more}
    )


COMPONENT = "gpu-blueprint:components:Any"


@pytest.mark.parametrize(
    ("how", "more"),
    [
        ("a dependency", {"dependencies": ("needed",)}),
        ("a provider", {"provider": "needed"}),
        ("a parent", {"parent": "needed"}),
        ("deletedWith", {"options": {"deletedWith": "needed"}}),
    ],
)
def test_a_resource_goes_before_what_it_names_as(how: str, more: dict[str, Any]) -> None:
    needed, user, other = resource("needed"), resource("user", **more), resource("other")
    order = DestroyOrder((needed, user, other))
    assert order.before(user, needed)
    assert not order.before(needed, user) and not order.before(other, needed)
    assert order.waves() == [{"user"}, {"needed", "other"}]


def test_whoever_depends_on_a_component_depends_on_what_it_held_by_then() -> None:
    outer, inner = resource("outer", COMPONENT), resource("inner", COMPONENT, parent="outer")
    early, late = resource("early", parent="inner"), resource("late", parent="inner")
    user = resource("user", dependencies=("outer",))
    order = DestroyOrder((outer, inner, early, user, late))
    assert order.before(user, early) and order.before(user, inner)
    assert not order.before(user, late)
