"""Pods of the probes."""

from gpu_blueprint.rehearsal.pods import (
    NAMESPACE,
    PROBE_LABEL,
    build_cpu_pod,
    build_deployment,
    build_gpu_pod,
    build_probe_namespace,
    build_tenant_pod,
    find_granted,
    find_least,
    name_pods,
)

from ..support import builders
from ..support.rehearsals import load_example

CONFIG = builders.config(
    pools=[
        builders.pool(
            sharing={"mode": "mps", "replicas": 40},
            podSize={"cpu": "1", "memory": "4Gi"},
            taints=[{"key": "example.com/a"}],
        )
    ],
    tenants=[builders.tenant(namespace="team-space", gpus={"main": 2})],
)
POOL, TENANT = CONFIG.gpu_pools[0], CONFIG.tenants[0]
SHARE = "nvidia.com/gpu.shared"


def test_a_gpu_pod_asks_for_one_share_by_default() -> None:
    pod = build_gpu_pod(CONFIG, POOL, "a")
    resources = pod["spec"]["containers"][0]["resources"]
    assert resources["requests"] == resources["limits"]
    assert resources["limits"][SHARE] == "1"
    assert pod["metadata"] == {"name": "a", "namespace": NAMESPACE, "labels": {PROBE_LABEL: "true"}}


def test_a_gpu_pod_names_its_pool_and_tolerates_the_taints_of_the_stack_file() -> None:
    spec = build_gpu_pod(CONFIG, POOL, "a")["spec"]
    assert spec["nodeSelector"] == {"gpu-blueprint/pool": "main"}
    assert spec["tolerations"] == [{"key": "example.com/a", "effect": "NoSchedule", "operator": "Exists"}]


def test_as_many_pods_as_a_node_has_shares_fit_by_cpu_and_memory() -> None:
    limits = build_gpu_pod(CONFIG, POOL, "a")["spec"]["containers"][0]["resources"]["limits"]
    assert 40 * int(limits["cpu"].removesuffix("m")) < 3900  # of g6.xlarge, with four CPUs
    assert 40 * int(limits["memory"].removesuffix("Mi")) < 14 * 1024


def test_a_pod_fulfils_the_baseline_standard_and_ends_at_once() -> None:
    spec = build_gpu_pod(CONFIG, POOL, "a")["spec"]
    assert spec["containers"][0]["securityContext"]["allowPrivilegeEscalation"] is False
    assert spec["terminationGracePeriodSeconds"] == 0
    assert spec["containers"][0]["image"] != "YOUR-IMAGE"


def test_a_tenants_pod_stands_in_its_namespace() -> None:
    pod = build_tenant_pod(CONFIG, TENANT, POOL, "in")
    assert (pod["metadata"]["name"], pod["metadata"]["namespace"]) == ("team-in-main", "team-space")


def test_a_tenant_asks_for_the_profile_that_it_is_granted() -> None:
    layout = {"3g.40gb": 1, "1g.10gb": 4}
    pool = builders.pool(gpu="h100-80gb", sharing={"mode": "mig", "layout": layout})
    config = builders.config(pools=[pool], tenants=[builders.tenant(gpus={"main": {"3g.40gb": 0, "1g.10gb": 1}})])
    assert find_granted(config.tenants[0], config.gpu_pools[0]) == {"nvidia.com/mig-1g.10gb": 1}
    limits = build_tenant_pod(config, config.tenants[0], config.gpu_pools[0], "in")["spec"]["containers"][0][
        "resources"
    ]
    assert "nvidia.com/mig-3g.40gb" not in limits["limits"]
    assert limits["limits"]["nvidia.com/mig-1g.10gb"] == "1"


def test_a_job_that_spans_nodes_asks_for_a_whole_node_with_efa() -> None:
    config = load_example("training-on-reserved-h100")
    limits = build_gpu_pod(config, config.gpu_pools[0], "a")["spec"]["containers"][0]["resources"]["limits"]
    assert (limits["nvidia.com/gpu"], limits["vpc.amazonaws.com/efa"]) == ("8", "32")
    assert find_least(config.gpu_pools[0]) == {"nvidia.com/gpu": 8}
    tenants_pod = build_tenant_pod(config, config.tenants[0], config.gpu_pools[0], "in")
    assert tenants_pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"


def test_a_cpu_pod_asks_for_no_gpu() -> None:
    pod = build_cpu_pod("a", "team", "5", tolerations=[{"operator": "Exists"}])
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "5", "memory": "64Mi"}
    assert pod["spec"]["tolerations"] == [{"operator": "Exists"}]


def test_a_deployment_selects_its_own_pods() -> None:
    deployment = build_deployment(build_gpu_pod(CONFIG, POOL, "a"), replicas=3)
    spec = deployment["spec"]
    assert spec["replicas"] == 3
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"]["app.kubernetes.io/name"] == "a"
    assert deployment["metadata"]["labels"][PROBE_LABEL] == "true"


def test_names_are_numbered() -> None:
    assert name_pods("a", 2) == ["a-0", "a-1"]


def test_the_probes_have_a_namespace_without_a_quota() -> None:
    assert build_probe_namespace()["metadata"]["name"] == NAMESPACE
