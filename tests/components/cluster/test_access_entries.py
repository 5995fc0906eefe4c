"""The access that each principal gets from a stack file: one entry, whatever the number of places that name it."""

from typing import Any

from components.cluster.access_entries import collect_access
from gpu_blueprint.cel.groups import CLUSTER_OPERATORS, CLUSTER_VIEWERS

from ...support import builders
from ...support.plans import find_resource, find_resources, plan_of

BOTH = builders.role("both")


def stack_of_two() -> dict[str, object]:
    """A principal that is a member of one tenant and a viewer of another."""
    return builders.stack(
        tenants=[
            builders.tenant(members=[BOTH], viewers=[builders.role("reader")]),
            builders.tenant(name="other", gpus={}, viewers=[BOTH]),
        ]
    )


def test_a_viewer_of_a_tenant_joins_the_group_of_its_readers_alone() -> None:
    access = collect_access(builders.config(tenants=[builders.tenant(viewers=[builders.role("reader")])]))
    reader = access[builders.role("reader")]
    assert (reader.policies, reader.groups) == ([], ["tenant-viewer:team"])
    assert access[builders.role("engineer")].groups == ["tenant-team"]


def test_a_member_of_one_tenant_and_viewer_of_another_has_one_entry_with_both_groups() -> None:
    """EKS takes one access entry per principal."""
    planned = plan_of(stack_of_two())
    entries = [found for found in find_resources(planned, "AccessEntry") if found.inputs["principalArn"] == BOTH]
    assert [found.inputs["kubernetesGroups"] for found in entries] == [["tenant-team", "tenant-viewer:other"]]


def test_viewers_of_the_cluster_see_no_secrets() -> None:
    planned = plan_of(builders.stack(cluster=builders.cluster(viewers=[builders.role("on-call")])))
    found = [
        entry.inputs["policyArn"].rsplit("/", 1)[-1]
        for entry in find_resources(planned, "AccessPolicyAssociation")
        if entry.inputs["principalArn"] == builders.role("on-call")
    ]
    assert found == ["AmazonEKSViewPolicy"]


def test_viewers_of_the_cluster_read_its_nodes_and_operators_keep_them() -> None:
    people = builders.cluster(viewers=[builders.role("watch")], operators=[builders.role("on-call")])
    access = collect_access(builders.config(cluster=people))
    assert access[builders.role("watch")].groups == [CLUSTER_VIEWERS]
    on_call = access[builders.role("on-call")]
    assert (on_call.policies, on_call.groups) == (["AmazonEKSViewPolicy"], [CLUSTER_VIEWERS, CLUSTER_OPERATORS])
    planned = plan_of(builders.stack(cluster=people))
    bound = {
        binding.inputs["metadata"]["name"]: [subject["name"] for subject in binding.inputs["subjects"]]
        for binding in find_resources(planned, "ClusterRoleBinding")
    }
    assert bound["gpu-blueprint-operator"] == [CLUSTER_OPERATORS]
    assert CLUSTER_VIEWERS in bound["gpu-blueprint-facts"]
    assert not find_resources(plan_of(builders.stack()), "ClusterRoleBinding", "operators")


def test_the_group_of_readers_is_bound_to_the_role_of_readers() -> None:
    planned = plan_of(stack_of_two())
    (subject,) = find_resource(planned, "RoleBinding", "other-viewers").inputs["subjects"]
    assert subject["name"] in collect_access(builders.config(**_tenants_of(stack_of_two())))[BOTH].groups


def _tenants_of(stack: dict[str, Any]) -> dict[str, Any]:
    return {"tenants": stack["tenants"]}
