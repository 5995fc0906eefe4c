"""The EKS cluster: every input that pulumi-eks would choose by itself, and its protection."""

from typing import Any

import pulumi
import pytest

from components.cluster.cluster import remove_creator_admin
from gpu_blueprint.plan import PlannedResource

from ...support import builders
from ...support.plans import SHIPPED, Plan, find_resource, plan, plan_of, shipped_config

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
"""Inputs that are the same in every stack. pulumi-eks would otherwise choose them by itself."""


FROM_CONFIG = {
    "deletionProtection",
    "enabledClusterLogTypes",
    "encryptionConfigKeyArn",
    "endpointPublicAccess",
    "name",
    "serviceRole",
    "subnetIds",
    "version",
    "vpcId",
}


def find_cluster(planned: Plan) -> PlannedResource:
    return find_resource(planned, "eks:index:Cluster")


@pytest.mark.parametrize("protection", [True, False])
def test_deletion_protection_protects_the_cluster_in_eks_and_in_pulumi(protection: bool) -> None:
    planned = plan_of(builders.stack(cluster=builders.cluster(deletionProtection=protection)))
    assert find_cluster(planned).inputs["deletionProtection"] is protection
    protected = [found.urn for found in planned if found.options.get("protect")]
    assert protected == ([find_cluster(planned).urn] if protection else [])


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_cluster_states_every_input_that_pulumi_eks_would_choose(stack: str) -> None:
    inputs, config = dict(find_cluster(plan(stack)).inputs), shipped_config(stack)
    public = {"publicAccessCidrs"} if config.cluster.api.access == "public" else set()
    assert set(inputs) == {*CHOSEN, *FROM_CONFIG, *public}
    assert {name: inputs[name] for name in CHOSEN} == CHOSEN
    assert inputs["endpointPublicAccess"] is bool(public)
    assert "0.0.0.0/0" not in inputs.get("publicAccessCidrs", [])
    assert (inputs["name"], inputs["version"]) == (f"gpu-{stack}", "1.36")
    assert len(inputs["subnetIds"]) >= 2
    assert inputs["serviceRole"] == {
        "$resource": find_resource(plan(stack), "aws:iam/role:Role", "-cluster-control-plane").urn
    }


def transform(type_: str, props: dict[str, Any]) -> pulumi.ResourceTransformResult | None:
    opts = pulumi.ResourceOptions(protect=True)
    args = pulumi.ResourceTransformArgs(custom=True, type_=type_, name="any", props=props, opts=opts)
    return remove_creator_admin(args)


@pytest.mark.parametrize(
    "given", [{"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True}, None]
)
def test_the_creator_of_the_cluster_does_not_become_an_admin(given: dict[str, Any] | None) -> None:
    props = {"name": "any", **({"accessConfig": given} if given else {})}
    result = transform("aws:eks/cluster:Cluster", props)
    assert result is not None and result.opts.protect
    expected = {**(given or {}), "bootstrapClusterCreatorAdminPermissions": False}
    assert result.props == {"name": "any", "accessConfig": expected}
    assert props.get("accessConfig") == given


def test_the_transform_leaves_other_resources_alone() -> None:
    assert transform("aws:iam/role:Role", {"name": "any"}) is None
