"""Questions about tenants."""

from typing import Any

import pytest

from gpu_blueprint.catalog import find_instance
from gpu_blueprint.config import StackConfig
from gpu_blueprint.rehearsal.probe import Probe
from gpu_blueprint.rehearsal.tenant_probes import list_tenant_probes

from ..support import builders
from ..support.rehearsals import find_probe, list_sent_pods, read_limits


def build(pools: list[dict[str, Any]] | None = None, **tenant: Any) -> StackConfig:
    return builders.config(pools=pools or [builders.pool()], tenants=[builders.tenant(**tenant)])


def list_of(config: StackConfig) -> list[Probe]:
    return [*list_tenant_probes(config, config.tenants[0])]


def test_a_tenant_is_asked_about_each_pool() -> None:
    pools = [builders.pool(), builders.pool(name="other", gpu="a10g", taints=[{"key": "example.com/a"}])]
    assert [probe.name for probe in list_of(build(pools))] == [
        "team/in-main",
        "team/over-main",
        "team/foreign-other",
        "team/cpu",
        "team/keyless-toleration",
        "team/critical-priority",
    ]


def test_one_more_than_the_quota_is_asked_for() -> None:
    probe = find_probe(list_of(build(gpus={"main": 4})), "team/over-main")
    assert read_limits(list_sent_pods(probe)[0]) == {"nvidia.com/gpu": 5}
    assert probe.title == "5 gpu, one over the quota"


def test_the_quota_of_a_resource_is_summed_over_pools() -> None:
    pools = [builders.pool(), builders.pool(name="other", gpu="a10g", taints=[{"key": "example.com/a"}])]
    probe = find_probe(list_of(build(pools, gpus={"main": 4, "other": 3})), "team/over-other")
    assert read_limits(list_sent_pods(probe)[0]) == {"nvidia.com/gpu": 8}


def test_a_grant_of_nothing_is_no_grant() -> None:
    names = {probe.name for probe in list_of(build(gpus={"main": 0}))}
    assert "team/foreign-main" in names and "team/in-main" not in names


def test_a_foreign_pod_knows_label_and_tolerations_of_the_pool() -> None:
    pools = [builders.pool(taints=[{"key": "example.com/a"}])]
    spec = list_sent_pods(find_probe(list_of(build(pools, gpus={})), "team/foreign-main"))[0]["spec"]
    assert spec["nodeSelector"] == {"gpu-blueprint/pool": "main"}
    assert spec["tolerations"][0]["key"] == "example.com/a"


def test_the_large_pod_without_gpu_fits_on_no_system_node() -> None:
    config = build()
    pod = list_sent_pods(find_probe(list_of(config), "team/keyless-toleration"))[0]
    cpus = int(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"])
    assert all(cpus > find_instance(name).vcpu for name in config.cluster.system_nodes.instance_types)
    assert read_limits(pod) == {}


@pytest.mark.parametrize(("cpu", "is_asked"), [("2", False), ("64", True)])
def test_a_quota_of_few_cpus_needs_no_such_question(cpu: str, is_asked: bool) -> None:
    names = {probe.name for probe in list_of(build(cpu=cpu))}
    assert ("team/keyless-toleration" in names) == is_asked


def test_pods_stand_in_the_namespace_of_the_tenant() -> None:
    probes = [probe for probe in list_of(build(namespace="space")) if "critical" not in probe.name]
    assert {pod["metadata"]["namespace"] for probe in probes for pod in list_sent_pods(probe)} == {"space"}


def test_a_tenant_without_a_pool_of_its_own_is_asked_for_no_priority() -> None:
    assert "team/critical-priority" not in {probe.name for probe in list_of(build(gpus={}))}


def test_the_probes_of_tenants_need_no_pool_alone() -> None:
    assert [probe.name for probe in list_of(build()) if probe.alone_in] == ["team/critical-priority"]


TAINT = {"key": "example.com/a"}


@pytest.mark.parametrize(
    ("cpu_pools", "promise"),
    [
        ([], "runs in cpu"),
        (
            [{"name": "cpu"}, {"name": "more", "taints": [{**TAINT, "effect": "PreferNoSchedule"}]}],
            "runs in cpu or more",
        ),
        ([{"name": "cpu", "taints": [TAINT]}], "waits"),
    ],
)
def test_a_pod_without_gpu_runs_in_a_cpu_pool_whose_taints_let_it_in(
    cpu_pools: list[dict[str, Any]], promise: str
) -> None:
    pools = [builders.pool(), *(builders.cpu_pool(maxCpus=128, **fields) for fields in cpu_pools)]
    assert find_probe(list_of(build(pools)), "team/cpu").expected.text == promise
