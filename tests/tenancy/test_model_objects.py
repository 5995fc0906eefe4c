"""Models in the namespace of a tenant: members restart them, and neither delete nor change what they need."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from gpu_blueprint.rendering import list_manifests
from gpu_blueprint.tenancy.policies import list_policies

from ..support.plans import plan, shipped_config, shipped_file
from ..support.tenancy_lab import member, service_account
from ..support.tenant_objects import build

if TYPE_CHECKING:
    from ..support.tenancy_lab import TenancyLab

MEMBER = member("serving")
SAID = "restart the model with kubectl rollout restart"
PATHS = {
    "Service": "/api/v1/namespaces/serving/services",
    "ConfigMap": "/api/v1/namespaces/serving/configmaps",
    "ServiceAccount": "/api/v1/namespaces/serving/serviceaccounts",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/serving/poddisruptionbudgets",
    "Deployment": "/apis/apps/v1/namespaces/serving/deployments",
}


def list_objects() -> list[dict[str, Any]]:
    """The objects of the models of prod in their tenant's namespace, which members may write."""
    rendered = (manifest.content for manifest in list_manifests(shipped_config("prod"), plan("prod")))
    return [
        found
        for found in rendered
        if found["kind"] in PATHS
        and found["metadata"].get("namespace") == "serving"
        and found["metadata"]["name"].removeprefix("model-").startswith(("chat", "ranking"))
    ]


def test_the_rules_name_every_object_of_each_model() -> None:
    policy = next(
        policy for policy in list_policies(shipped_config("prod")) if policy.name == "gpu-blueprint-model-objects"
    )
    made = list_objects()
    assert {found["kind"] for found in made} == PATHS.keys()
    plural = {kind: path.rsplit("/", 1)[1] for kind, path in PATHS.items()}
    named = [f"'serving/{plural[found['kind']]}/{found['metadata']['name']}'" for found in made]
    assert [name for name in named if name not in policy.rules[0].expression] == []


def test_a_stack_without_models_has_no_such_policy() -> None:
    names = [policy.name for policy in list_policies(shipped_config("research"))]
    assert [name for name in names if "model" in name] == []


@pytest.fixture(scope="module")
def lab(api_server: "TenancyLab") -> "Iterator[TenancyLab]":
    api_server.load_stack(shipped_file("prod")["gpu-blueprint:stack"])
    for found in list_objects():
        api_server.kube.apply(found)
    yield api_server
    for found in reversed(list_objects()):
        api_server.kube.delete(found["apiVersion"], found["kind"], found["metadata"]["name"], "serving", wait_s=30)


@pytest.mark.lab
def test_members_restart_a_model_and_neither_change_nor_delete_it(lab: "TenancyLab") -> None:
    for found in list_objects():
        path = f"{PATHS[found['kind']]}/{found['metadata']['name']}"
        assert SAID in lab.ask("DELETE", path, None, MEMBER).refusal, path
        assert lab.ask("DELETE", path, None).is_accepted, path  # the platform team
        assert lab.ask("DELETE", path, None, service_account("kube-system", "generic-garbage-collector")).refusal == ""
        if found["kind"] != "Deployment":
            assert SAID in lab.ask("PATCH", path, {"metadata": {"labels": {"app": "mine"}}}, MEMBER).refusal, path
            continue
        restart = {"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}}}}}
        assert lab.ask("PATCH", path, restart, MEMBER).refusal == "", path
        for spec in (
            {"replicas": 0},
            {"paused": True},
            {"template": {"spec": {"terminationGracePeriodSeconds": 1}}},
            {"template": {"metadata": {"labels": {"team": "mine"}}}},
        ):
            assert SAID in lab.ask("PATCH", path, {"spec": spec}, MEMBER).refusal, spec
    for path in (PATHS["Service"], PATHS["Deployment"]):
        assert SAID in lab.ask("DELETE", path, None, MEMBER).refusal  # all at once


@pytest.mark.lab
def test_objects_of_their_own_stay_the_members(lab: "TenancyLab") -> None:
    settings = next(found for found in list_objects() if found["kind"] == "ConfigMap")["metadata"]["name"]
    lab.kube.delete("v1", "ConfigMap", settings, "serving", wait_s=10)
    for name in ("own", settings):  # a team's own object may have the name of a model that comes later
        lab.kube.apply(build("ConfigMap", name, data={"a": "b"}))
        try:
            assert lab.ask("PATCH", f"{PATHS['ConfigMap']}/{name}", {"data": {"a": "c"}}, MEMBER).refusal == ""
            assert lab.ask("DELETE", f"{PATHS['ConfigMap']}/{name}", None, MEMBER).refusal == ""
        finally:
            lab.kube.delete("v1", "ConfigMap", name, "serving", wait_s=10)
