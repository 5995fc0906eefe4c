"""What closes and opens a pool, as Kubernetes gets it: every line of it is read here."""

import json
from copy import deepcopy
from typing import Any

import kubernetes_validate
import pytest

from components.pools.hours_steps import FIELD_MANAGER
from gpu_blueprint.catalog.versions import KUBERNETES
from gpu_blueprint.judging.verdicts import findings, levels_file, read_levels
from gpu_blueprint.plan import PlannedResource

from ...loading.test_stack_file import TODAY
from ...support import builders
from ...support.deletion import assert_order
from ...support.plans import Plan, kind, one, plan_of, some
from ...support.sdk_types import find_misfits

DAY = {"timezone": "Europe/Berlin", "start": "07:00", "stop": "20:00"}
NIGHT = {"timezone": "America/New_York", "start": "20:30", "stop": "06:00", "days": ["sun", "mon"]}
MADE = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "CronJob")


def pools() -> list[dict[str, Any]]:
    """One of each way to close, and one that never does."""
    return [
        builders.pool(name="lab", purpose="notebook", hours=DAY),
        builders.pool(name="train", purpose="training", hours=NIGHT),
        builders.pool(name="always"),
    ]


def made(kubernetes: str = "1.36") -> Plan:
    cluster = builders.cluster(kubernetesVersion=kubernetes)
    return plan_of(
        builders.stack(pools=pools(), cluster=cluster, tenants=[builders.tenant(gpus={"lab": 4, "train": 4})])
    )


def cron_job(verb: str, pool: str) -> dict[str, Any]:
    """Its own copy of the manifest."""
    return deepcopy(dict(one(made(), "CronJob", f"{pool}-hours-{verb}").inputs))


def calls(verb: str, pool: str) -> dict[str, list[str]]:
    """Container → kubectl's arguments, in the order in which Kubernetes runs them."""
    pod = cron_job(verb, pool)["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert len(pod["containers"]) == 1
    return {found["name"]: found["args"] for found in [*pod.get("initContainers", []), *pod["containers"]]}


def ours(planned: Plan) -> list[PlannedResource]:
    return [found for kind_ in MADE for found in some(planned, kind_)]


def container(name: str, *arguments: str) -> dict[str, Any]:
    return {
        "name": name,
        "image": "registry.k8s.io/kubectl:v1.36.4",
        "args": list(arguments),
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }


def limit(pool: str, cpu: str) -> list[str]:
    patch = '--patch={"spec":{"limits":{"cpu":' + cpu + "}}}"
    return ["patch", "nodepools.karpenter.sh", pool, "--type=merge", patch, "--field-manager=gpu-blueprint-hours"]


def pod_of_lab(before: dict[str, Any], last: dict[str, Any]) -> dict[str, Any]:
    absent = [{"key": key, "operator": "DoesNotExist"} for key in ("karpenter.sh/nodepool", "gpu-blueprint/pool")]
    return {
        "serviceAccountName": "hours-lab",
        "automountServiceAccountToken": True,
        "restartPolicy": "OnFailure",
        "priorityClassName": "system-cluster-critical",
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": absent}]}
            }
        },
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "runAsGroup": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "initContainers": [before],
        "containers": [last],
    }


def test_a_close_is_this_to_the_letter() -> None:
    drain = ["delete", "nodeclaims.karpenter.sh", "--selector=karpenter.sh/nodepool=lab,gpu-blueprint/hold!=true", "--wait=false"]  # fmt: skip
    pod = pod_of_lab(container("stop-launches", *limit("lab", '"0"')), container("drain-nodes", *drain))
    job = {
        "activeDeadlineSeconds": 900,
        "backoffLimit": 4,
        "ttlSecondsAfterFinished": 259200,
        "template": {"spec": pod},
    }
    assert cron_job("close", "lab") == {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "hours-close-lab", "namespace": "kube-system"},
        "spec": {
            "schedule": "0 20-23 * * mon-fri",
            "timeZone": "Europe/Berlin",
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": 1800,
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 3,
            "jobTemplate": {"spec": job},
        },
    }


def test_an_opening_differs_from_a_close_in_name_time_and_steps_only() -> None:
    opening, close = cron_job("open", "lab"), cron_job("close", "lab")
    assert opening["metadata"]["name"] == "hours-open-lab"
    assert opening["spec"]["schedule"] == "0 7-19 * * mon-fri"
    assert calls("open", "lab") == {"allow-launches": limit("lab", "null")}
    for found in (opening, close):
        pod = found["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        del found["metadata"]["name"], found["spec"]["schedule"], pod["containers"]
        pod.pop("initContainers", None)
    assert opening == close


def test_jobs_of_a_training_pool_run_to_their_end() -> None:
    """Nothing is deleted: nodes take no new pods, and Karpenter removes them when they are empty."""
    assert list(calls("close", "train").items()) == [
        ("stop-launches", limit("train", '"0"')),
        (
            "mark-nodes",
            ["label", "nodes", "--selector=karpenter.sh/nodepool=train", "--field-selector=spec.unschedulable=false",
             "gpu-blueprint/hours=closed", "--overwrite", "--field-manager=gpu-blueprint-hours"],
        ),
        ("cordon-nodes", ["cordon", "--selector=karpenter.sh/nodepool=train,gpu-blueprint/hours=closed"]),
    ]  # fmt: skip


def test_nodes_of_a_training_pool_that_live_on_are_used_again_before_others_are_launched() -> None:
    marked = "--selector=karpenter.sh/nodepool=train,gpu-blueprint/hours=closed"
    assert list(calls("open", "train").items()) == [
        ("uncordon-nodes", ["uncordon", marked]),
        (
            "unmark-nodes",
            ["label", "nodes", marked, "--field-selector=spec.unschedulable=false", "gpu-blueprint/hours-",
             "--field-manager=gpu-blueprint-hours"],
        ),
        ("allow-launches", limit("train", "null")),
    ]  # fmt: skip


@pytest.mark.parametrize("purpose", ["inference", "notebook", "batch", "training"])
def test_only_training_is_held(purpose: str) -> None:
    planned = plan_of(builders.stack(pools=[builders.pool(purpose=purpose, hours=DAY)]))
    said = json.dumps(dict(one(planned, "CronJob", "close").inputs))
    assert ("drain-nodes" in said) == (purpose != "training")
    assert ("cordon-nodes" in said) == (purpose == "training")


def test_pulumi_neither_sets_what_the_hours_set_nor_takes_it_over() -> None:
    """Server-side apply conflicts over fields that two owners set; Pulumi takes over those of owners named so."""
    for found in some(made(), "NodePool"):
        assert set(found.inputs["spec"]["limits"]) == {"nvidia.com/gpu"}
    for prefix in ("kubectl", "before-first-apply", "pulumi-kubernetes", "pulumi-resource-kubernetes"):
        assert not FIELD_MANAGER.startswith(prefix)
    steps = [step for verb in ("close", "open") for pool in ("lab", "train") for step in calls(verb, pool).values()]
    changing = [step for step in steps if step[0] in ("patch", "label")]
    assert len(changing) == 6
    assert all("--field-manager=gpu-blueprint-hours" in step for step in changing)


PATCHED = {"apiGroups": ["karpenter.sh"], "resources": ["nodepools"], "verbs": ["get", "patch"]}
RULES = {
    "lab": [
        {**PATCHED, "resourceNames": ["lab"]},
        {"apiGroups": ["karpenter.sh"], "resources": ["nodeclaims"], "verbs": ["list", "delete"]},
    ],
    "train": [
        {**PATCHED, "resourceNames": ["train"]},
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "patch"]},
    ],
}


@pytest.mark.parametrize("pool", RULES)
def test_the_account_may_do_what_its_steps_do_and_no_more(pool: str) -> None:
    account = one(made(), "ServiceAccount", pool).inputs
    assert account["metadata"] == {"name": f"hours-{pool}", "namespace": "kube-system"}
    assert account["automountServiceAccountToken"] is False
    role = one(made(), "ClusterRole", pool).inputs
    assert role["metadata"] == {"name": f"gpu-blueprint-hours-{pool}"}
    assert role["rules"] == RULES[pool]
    binding = one(made(), "ClusterRoleBinding", pool).inputs
    whole = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"gpu-blueprint-hours-{pool}"}
    assert binding["roleRef"] == whole
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": f"hours-{pool}", "namespace": "kube-system"}]


def test_a_pool_without_hours_has_none_of_it() -> None:
    assert [found.name for found in made() if kind(found) == "PoolHours"] == ["lab", "train"]
    assert sorted({kind(found) for found in ours(made())}) == sorted(MADE)
    assert [found.name for found in ours(made()) if "always" in found.name] == []
    without = plan_of(builders.stack())
    assert ours(without) == []


@pytest.mark.parametrize("kubernetes", KUBERNETES)
def test_objects_are_valid_to_the_letter_and_run_kubectl_of_the_clusters_minor(kubernetes: str) -> None:
    found = ours(made(kubernetes))
    assert len(found) == 2 * 5
    for resource in found:
        assert kubernetes_validate.validate(dict(resource.inputs), kubernetes, strict=True) == kubernetes
        assert find_misfits(resource) == []
    images = json.dumps([dict(resource.inputs) for resource in some(made(kubernetes), "CronJob")])
    assert images.count("registry.k8s.io/kubectl:") == images.count(f"kubectl:v{kubernetes}.") == 9


def test_hours_go_before_the_node_pool_that_they_work_on() -> None:
    for pool in ("lab", "train"):
        jobs, binding = some(made(), "CronJob", pool), one(made(), "ClusterRoleBinding", pool)
        rights = [one(made(), kind_, pool) for kind_ in ("ServiceAccount", "ClusterRole")]
        assert_order(made(), jobs, binding, rights, one(made(), "NodePool", pool))


def test_names_fit_even_when_the_user_takes_the_longest() -> None:
    """A Job adds 11 characters to the name of its CronJob, and has 63 (batch/validation)."""
    pool = builders.pool(name="n" * 40, hours=DAY)
    names = [found.inputs["metadata"]["name"] for found in some(plan_of(builders.stack(pools=[pool])), "CronJob")]
    assert sorted(map(len, names)) == [51, 52]


@pytest.mark.parametrize("environment", ["dev", "research", "prod"])
def test_no_policy_finds_fault_with_hours(environment: str) -> None:
    mine = {found.name for found in ours(made())}
    told = findings(made(), read_levels(levels_file(environment)), [], TODAY)
    assert [found.verdict for found in told if found.resource in mine] == []
