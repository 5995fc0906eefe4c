"""The rights of tenants' people, with and without queues."""

from gpu_blueprint.loading import parse
from gpu_blueprint.tenancy.rights import CLUSTER_ROLES, list_cluster_roles

from ..support.builders import REGION
from ..support.queue_attacks import queued_stack


def test_people_read_why_a_job_waits_and_write_nothing_of_queues() -> None:
    roles = {role.name: role.rules for role in list_cluster_roles(parse(queued_stack(), REGION))}
    found = {
        (name, kind): rule["verbs"]
        for name, rules in roles.items()
        for rule in rules
        for group in rule["api_groups"]
        for kind in rule["resources"]
        if group.endswith("kueue.x-k8s.io")
    }
    people = ("workloads", "localqueues", "localqueues/pendingworkloads")
    wanted = {(f"gpu-blueprint-{role}", kind) for role in ("member", "viewer") for kind in people}
    facts = ("clusterqueues", "resourceflavors", "cohorts", "workloadpriorityclasses")
    assert found.keys() == wanted | {("gpu-blueprint-facts", kind) for kind in facts}
    assert all(verbs == ["get", "list", "watch"] for verbs in found.values())


def test_the_rights_without_queues_are_those_of_every_stack() -> None:
    assert list_cluster_roles(parse(queued_stack(queueing=None), REGION)) == [*CLUSTER_ROLES]
