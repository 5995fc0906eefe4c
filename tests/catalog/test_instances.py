"""Every row of the catalogue against what must hold for all of them, and against facts written out here."""

import csv
import re
from pathlib import Path

import pytest

import gpu_blueprint.catalog
from gpu_blueprint.catalog import (
    AMI_FAMILIES,
    BOTTLEROCKET,
    GPUS,
    CatalogError,
    Gpu,
    Instance,
    gpu,
    instance,
    instances,
)
from gpu_blueprint.catalog.versions import (
    DEFAULT_KUBERNETES,
    GPU_OPERATOR,
    GPU_OPERATOR_KUBERNETES,
    KARPENTER_VERSIONS,
    KUBERNETES,
    KubernetesRelease,
    karpenter_chart,
    karpenter_crd_chart,
    numbers,
    oldest_ami,
)

GPU_TYPES = [row for row in instances().values() if row.gpu_name]
SYSTEM_TYPES = [row for row in instances().values() if not row.gpu_name]
CSV = Path(gpu_blueprint.catalog.__file__).with_name("instances.csv")

# Profile → most on one GPU. Sources: NVIDIA/gpu-operator v26.7.0 assets/state-mig-manager/0400_configmap.yaml and the
# MIG user guide's table of each GPU, read 2026-11-20.
MOST = {
    "a100-40gb": "1g.5gb 7, 1g.5gb+me 1, 1g.10gb 4, 2g.10gb 3, 3g.20gb 2, 4g.20gb 1, 7g.40gb 1",
    "a100-80gb": "1g.10gb 7, 1g.10gb+me 1, 1g.20gb 4, 2g.20gb 3, 3g.40gb 2, 4g.40gb 1, 7g.80gb 1",
    "h100-80gb": "1g.10gb 7, 1g.10gb+me 1, 1g.20gb 4, 2g.20gb 3, 3g.40gb 2, 4g.40gb 1, 7g.80gb 1",
    "h200-141gb": "1g.18gb 7, 1g.18gb+me 1, 1g.35gb 4, 2g.35gb 3, 3g.71gb 2, 4g.71gb 1, 7g.141gb 1",
    "b200-180gb": "1g.23gb 7, 1g.23gb+me 1, 1g.45gb 4, 2g.45gb 3, 3g.90gb 2, 4g.90gb 1, 7g.180gb 1",
    "b300": "1g.34gb 7, 1g.34gb+me 1, 1g.67gb 4, 2g.67gb 3, 3g.135gb 2, 4g.135gb 1, 7g.269gb 1",
    "gb200": "1g.23gb 7, 1g.23gb+me 1, 1g.47gb 4, 2g.47gb 3, 3g.93gb 2, 4g.93gb 1, 7g.186gb 1",
    "gb300": "1g.35gb 7, 1g.35gb+me 1, 1g.70gb 4, 2g.70gb 3, 3g.139gb 2, 4g.139gb 1, 7g.278gb 1",
    "rtx-pro-6000-96gb": "1g.24gb 4, 1g.24gb+me 1, 1g.24gb+gfx 4, 1g.24gb+me.all 1, 1g.24gb-me 4, 2g.48gb 2, "
    "2g.48gb+gfx 2, 2g.48gb+me.all 1, 2g.48gb-me 2, 4g.96gb 1, 4g.96gb+gfx 1",
}
WITHOUT_MIG = {"v100", "t4", "t4g", "a10g", "l4", "l40s", "rtx-pro-4500"}
ADDONS = {
    "vpc-cni",
    "coredns",
    "kube-proxy",
    "eks-pod-identity-agent",
    "aws-ebs-csi-driver",
    "metrics-server",
    "eks-node-monitoring-agent",
}

each_gpu_type = pytest.mark.parametrize("row", GPU_TYPES, ids=lambda row: row.instance_type)
each_type = pytest.mark.parametrize("row", instances().values(), ids=lambda row: row.instance_type)
each_gpu = pytest.mark.parametrize("model", GPUS.values(), ids=lambda model: model.name)
each_release = pytest.mark.parametrize("release", KUBERNETES.values(), ids=lambda release: release.version)


@each_type
def test_a_type_has_a_processor_memory_and_a_network(row: Instance) -> None:
    assert row.vcpu > 0
    assert row.memory_mib >= 2048 * row.vcpu
    assert 1 <= row.network_cards <= row.max_enis
    assert 0 <= row.efa_interfaces <= row.network_cards
    assert row.local_nvme_gb >= 0


@each_type
def test_a_type_is_graviton_exactly_where_its_family_ends_in_g(row: Instance) -> None:
    assert row.arch == ("arm64" if row.family in {"g5g", "m6g", "m7g"} else "amd64")


@each_type
def test_a_type_is_offered_in_regions_and_on_demand(row: Instance) -> None:
    assert row.regions
    assert all(re.fullmatch(r"[a-z]{2}-[a-z]+-\d", region) for region in row.regions)
    assert {"on-demand"} <= row.usage_classes <= {"on-demand", "spot", "capacity-block"}


@each_gpu_type
def test_a_gpu_type_holds_devices_of_a_known_model(row: Instance) -> None:
    assert row.gpu is GPUS[row.gpu_name]
    assert row.gpu.karpenter_name
    assert row.gpu_devices in {1, 2, 4, 8}
    assert row.gpu_count == (0 if row.family in {"g6f", "gr6f"} else row.gpu_devices)
    assert row.fractional == (row.family in {"g6f", "gr6f"})


@each_type
def test_each_efa_interface_has_a_place_of_its_own_beside_the_primary(row: Instance) -> None:
    assert len(set(row.efa_layout)) == len(row.efa_layout) == row.efa_interfaces
    assert (0, 0) not in row.efa_layout
    assert all(card < row.network_cards for card, _ in row.efa_layout)


@each_gpu_type
def test_a_gpu_has_one_memory_size_and_fractions_have_less(row: Instance) -> None:
    whole = {other.gpu_memory_mib for other in GPU_TYPES if other.gpu is row.gpu and not other.fractional}
    assert len(whole) == 1
    assert 0 < row.gpu_memory_mib <= whole.pop() / (2 if row.fractional else 1)


@pytest.mark.parametrize("row", SYSTEM_TYPES, ids=lambda row: row.instance_type)
def test_a_system_type_has_no_gpu(row: Instance) -> None:
    assert (row.gpu_count, row.gpu_devices, row.gpu_memory_mib, row.efa_interfaces) == (0, 0, 0, 0)
    assert not row.fractional


@pytest.mark.parametrize(
    ("name", "vcpu", "devices", "gpu_memory_mib", "efa"),
    [
        ("g4dn.12xlarge", 48, 4, 16384, 1),
        ("g6f.2xlarge", 8, 1, 5722, 0),
        ("g7e.48xlarge", 192, 8, 98304, 4),
        ("p4d.24xlarge", 96, 8, 40960, 4),
        ("p5.48xlarge", 192, 8, 81920, 32),
        ("p5en.48xlarge", 192, 8, 144384, 16),
        ("p6-b300.48xlarge", 192, 8, 275040, 16),
    ],
)
def test_a_type_is_what_ec2_describes(name: str, vcpu: int, devices: int, gpu_memory_mib: int, efa: int) -> None:
    """Source: EC2 DescribeInstanceTypes, read 2026-10-27."""
    row = instance(name)
    assert (row.vcpu, row.gpu_devices, row.gpu_memory_mib, row.efa_interfaces) == (vcpu, devices, gpu_memory_mib, efa)


def test_no_type_stands_twice() -> None:
    rows = list(csv.DictReader(line for line in CSV.read_text().splitlines() if not line.startswith("#")))
    assert len({row["instance_type"] for row in rows}) == len(rows) == len(instances())
    assert all(None not in row and None not in row.values() for row in rows)


@each_gpu
def test_a_gpu_that_karpenter_launches_has_a_type_and_no_other_has(model: Gpu) -> None:
    assert bool(model.karpenter_name) == any(row.gpu is model for row in GPU_TYPES)


def test_only_the_two_a100s_share_a_karpenter_name() -> None:
    known = [model.karpenter_name for model in GPUS.values() if model.karpenter_name]
    assert {name for name in known if known.count(name) > 1} == {"a100"}
    assert {model.name for model in GPUS.values() if model.karpenter_name == "a100"} == {"a100-40gb", "a100-80gb"}


@each_gpu
def test_a_gpu_divides_as_nvidia_says(model: Gpu) -> None:
    if model.mig is None:
        assert model.name in WITHOUT_MIG
        return
    facts = {name: int(most) for name, most in (fact.split() for fact in MOST[model.name].split(", "))}
    assert {row.name: model.mig.most(row) for row in model.mig.rows} == facts


@each_gpu
def test_a_profile_lies_inside_the_gpu_and_is_named_after_its_size(model: Gpu) -> None:
    for row in model.mig.rows if model.mig else ():
        assert row.name.startswith(f"{row.compute_slices}g.{row.memory_gb}gb")
        assert row.starts == tuple(sorted(set(row.starts)))
        assert row.starts[0] == 0
        assert row.starts[-1] + row.memory_slices <= (model.mig.memory_slices if model.mig else 0)


@each_gpu
def test_profiles_are_advertised_under_names_that_kubernetes_takes(model: Gpu) -> None:
    resources = [row.resource for row in model.mig.rows] if model.mig else []
    assert len(set(resources)) == len(resources)
    assert all(re.fullmatch(r"nvidia\.com/mig-[a-z0-9]([a-z0-9.-]*[a-z0-9])?", name) for name in resources)


def test_only_ampere_reboots_for_mig() -> None:
    assert {model.name for model in GPUS.values() if model.mig_needs_reboot} == {"a100-40gb", "a100-80gb"}


@each_gpu
def test_a_bottlerocket_key_has_the_form_that_bottlerocket_takes(model: Gpu) -> None:
    """Source: Bottlerocket settings reference 1.54.x, settings.kubelet-device-plugins.nvidia.mig.profile."""
    if model.bottlerocket_mig_key is not None:
        assert model.mig
        assert re.fullmatch(r"[a-z]\d+\.\d+gb", model.bottlerocket_mig_key)
        assert model.bottlerocket_mig_key == model.name.replace("-", ".")


def test_an_unknown_name_is_answered_with_the_near_ones() -> None:
    with pytest.raises(CatalogError, match=r"unknown GPU model 'h100-90gb'; did you mean h100-80gb"):
        gpu("h100-90gb")
    with pytest.raises(CatalogError, match=r"unknown instance type 'p5\.48large'; did you mean p5\.48xlarge"):
        instance("p5.48large")


@each_release
def test_a_kubernetes_version_pins_seven_addons_exactly(release: KubernetesRelease) -> None:
    assert set(release.addons) == ADDONS
    assert all(re.fullmatch(r"v\d+\.\d+\.\d+-eksbuild\.\d+", version) for version in release.addons.values())


@each_release
def test_what_follows_kubernetes_has_its_minor(release: KubernetesRelease) -> None:
    assert release.addons["kube-proxy"].startswith(f"v{release.version}.")
    assert re.fullmatch(rf"{re.escape(release.version)}\.\d+-\d{{8}}", release.system_node_release)


@each_release
def test_every_kubernetes_version_runs_with_every_default(release: KubernetesRelease) -> None:
    assert numbers(release.oldest_karpenter) <= numbers(KARPENTER_VERSIONS[-1])
    oldest, newest = map(numbers, GPU_OPERATOR_KUBERNETES)
    assert oldest <= numbers(release.version) <= newest
    for family in AMI_FAMILIES.values():
        floor, why = oldest_ami(family, release)
        assert family.is_release(floor)
        assert family.order(floor) <= family.order(family.default_version)
        assert why


def test_bottlerocket_is_held_to_the_later_of_two_floors() -> None:
    """Sources: Bottlerocket changelogs v1.53.0 (1.35 variants), v1.61.0 (1.36 variants); MPS since 1.54."""
    assert oldest_ami(BOTTLEROCKET, KUBERNETES["1.35"])[0] == "v1.54.0"
    assert oldest_ami(BOTTLEROCKET, KUBERNETES["1.36"])[0] == "v1.61.0"


def test_releases_are_ordered_by_number_not_by_text() -> None:
    assert BOTTLEROCKET.order("v1.9.0") < BOTTLEROCKET.order("v1.54.0")
    assert numbers("1.9.0") < numbers("1.15.0")


def test_nothing_is_pinned_loosely() -> None:
    assert DEFAULT_KUBERNETES in KUBERNETES
    assert sorted(KARPENTER_VERSIONS, key=numbers, reverse=True) == list(KARPENTER_VERSIONS)
    charts = [GPU_OPERATOR, *map(karpenter_chart, KARPENTER_VERSIONS), *map(karpenter_crd_chart, KARPENTER_VERSIONS)]
    assert all(re.fullmatch(r"v?\d+\.\d+\.\d+", chart.version) for chart in charts)
    assert all(bool(chart.repository) != chart.reference.startswith("oci://") for chart in charts)
    for family in AMI_FAMILIES.values():
        assert family.is_release(family.default_version)
        assert not family.is_release("latest")
