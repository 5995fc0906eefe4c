"""The pinned versions work together, by the rules of their projects."""

import re

import pytest

from gpu_blueprint.catalog import AMI_FAMILIES, BOTTLEROCKET
from gpu_blueprint.catalog.addons import ADD_ONS, KUBE_PROXY
from gpu_blueprint.catalog.versions import (
    DEFAULT_KUBERNETES,
    GPU_OPERATOR,
    GPU_OPERATOR_KUBERNETES,
    KARPENTER_VERSIONS,
    KUBERNETES,
    KubernetesRelease,
    build_karpenter_chart,
    build_karpenter_crd_chart,
    find_oldest_ami,
    parse_version,
)

ADDONS = {
    "vpc-cni",
    "coredns",
    "kube-proxy",
    "eks-pod-identity-agent",
    "aws-ebs-csi-driver",
    "metrics-server",
    "eks-node-monitoring-agent",
}

each_release = pytest.mark.parametrize("release", KUBERNETES.values(), ids=lambda release: release.version)


@each_release
def test_a_kubernetes_version_pins_seven_addons_exactly(release: KubernetesRelease) -> None:
    versions = {add_on.name: add_on.version_for(release.version) for add_on in ADD_ONS}
    assert set(versions) == ADDONS
    assert all(re.fullmatch(r"v\d+\.\d+\.\d+-eksbuild\.\d+", version) for version in versions.values())


@each_release
def test_kube_proxy_and_node_releases_have_the_minor_of_kubernetes(release: KubernetesRelease) -> None:
    assert KUBE_PROXY.version_for(release.version).startswith(f"v{release.version}.")
    assert re.fullmatch(rf"{re.escape(release.version)}\.\d+-\d{{8}}", release.system_node_release)


@each_release
def test_every_kubernetes_version_runs_with_every_default(release: KubernetesRelease) -> None:
    assert parse_version(release.oldest_karpenter) <= min(map(parse_version, KARPENTER_VERSIONS))
    oldest, newest = map(parse_version, GPU_OPERATOR_KUBERNETES)
    assert oldest <= parse_version(release.version) <= newest
    for family in AMI_FAMILIES.values():
        floor, why = find_oldest_ami(family, release)
        assert family.is_release(floor)
        assert family.order(floor) <= family.order(family.default_version)
        assert why


def test_bottlerocket_must_be_newer_than_both_of_its_floors() -> None:
    """Sources: Bottlerocket changelogs v1.53.0 (1.35 variants), v1.61.0 (1.36 variants); MPS since 1.54."""
    assert find_oldest_ami(BOTTLEROCKET, KUBERNETES["1.35"])[0] == "v1.54.0"
    assert find_oldest_ami(BOTTLEROCKET, KUBERNETES["1.36"])[0] == "v1.61.0"


def test_releases_are_ordered_by_number_not_by_text() -> None:
    assert BOTTLEROCKET.order("v1.9.0") < BOTTLEROCKET.order("v1.54.0")
    assert parse_version("1.9.0") < parse_version("1.15.0")


def test_every_chart_and_image_is_pinned_to_one_release() -> None:
    assert DEFAULT_KUBERNETES in KUBERNETES
    charts = [
        GPU_OPERATOR,
        *map(build_karpenter_chart, KARPENTER_VERSIONS),
        *map(build_karpenter_crd_chart, KARPENTER_VERSIONS),
    ]
    assert all(re.fullmatch(r"v?\d+\.\d+\.\d+", chart.version) for chart in charts)
    assert all(bool(chart.repository) != chart.reference.startswith("oci://") for chart in charts)
    for family in AMI_FAMILIES.values():
        assert family.is_release(family.default_version)
        assert not family.is_release("latest")
