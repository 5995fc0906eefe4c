"""The rows of the instance types keep the rules that hold for every type, and agree with facts copied by hand."""

import csv
import re
from pathlib import Path

import pytest

import gpu_blueprint.catalog
from gpu_blueprint.catalog import GPUS, CatalogError, Instance, find_instance, list_instances

GPU_TYPES = [row for row in list_instances().values() if row.gpu_name]
SYSTEM_TYPES = [row for row in list_instances().values() if not row.gpu_name]
CSV = Path(gpu_blueprint.catalog.__file__).with_name("instances.csv")

each_gpu_type = pytest.mark.parametrize("row", GPU_TYPES, ids=lambda row: row.instance_type)
each_type = pytest.mark.parametrize("row", list_instances().values(), ids=lambda row: row.instance_type)


@each_type
def test_a_type_has_a_processor_memory_and_a_network(row: Instance) -> None:
    assert row.vcpu > 0
    assert row.memory_mib >= 2048 * row.vcpu
    assert 1 <= row.network_cards <= row.max_enis
    assert 0 <= row.efa_interfaces <= row.network_cards
    assert row.local_nvme_gb >= 0


@each_type
def test_a_type_is_graviton_exactly_where_its_family_ends_in_g(row: Instance) -> None:
    assert row.arch == ("arm64" if row.family in {"g5g", "c6g", "c7g", "m6g", "m7g", "r6g", "r7g"} else "amd64")


@each_type
def test_a_type_is_offered_in_regions_and_on_demand(row: Instance) -> None:
    assert row.regions
    assert all(re.fullmatch(r"[a-z]{2}(-gov)?-[a-z]+-\d", region) for region in row.regions)
    assert {"on-demand"} <= row.usage_classes <= {"on-demand", "spot", "capacity-block"}


@each_gpu_type
def test_a_gpu_type_holds_devices_of_a_known_model(row: Instance) -> None:
    assert row.gpu is GPUS[row.gpu_name]
    assert row.gpu.karpenter_name
    assert row.gpu_devices in {1, 2, 4, 8}
    assert row.gpu_count == (0 if row.family in {"g6f", "gr6f"} else row.gpu_devices)
    assert row.is_fractional == (row.family in {"g6f", "gr6f"})


@each_type
def test_each_efa_interface_has_a_place_of_its_own_beside_the_primary(row: Instance) -> None:
    assert len(set(row.efa_layout)) == len(row.efa_layout) == row.efa_interfaces
    assert (0, 0) not in row.efa_layout
    assert all(card < row.network_cards for card, _ in row.efa_layout)


@each_gpu_type
def test_a_gpu_has_one_memory_size_and_fractions_have_less(row: Instance) -> None:
    whole = {
        gpu_type.gpu_memory_mib for gpu_type in GPU_TYPES if gpu_type.gpu is row.gpu and not gpu_type.is_fractional
    }
    assert len(whole) == 1
    assert 0 < row.gpu_memory_mib <= whole.pop() / (2 if row.is_fractional else 1)


@pytest.mark.parametrize("row", SYSTEM_TYPES, ids=lambda row: row.instance_type)
def test_a_system_type_has_no_gpu(row: Instance) -> None:
    assert (row.gpu_count, row.gpu_devices, row.gpu_memory_mib, row.efa_interfaces) == (0, 0, 0, 0)
    assert not row.is_fractional


@pytest.mark.parametrize(
    ("name", "vcpu", "devices", "gpu_memory_mib", "efa"),
    [
        ("g4dn.12xlarge", 48, 4, 16384, 1),
        ("g6f.2xlarge", 8, 1, 5722, 0),
        ("g7e.48xlarge", 192, 8, 98304, 4),
        ("p4d.24xlarge", 96, 8, 40960, 4),
        ("p5.48xlarge", 192, 8, 81920, 32),
        ("p5en.48xlarge", 192, 8, 144384, 16),
        ("c7i.large", 2, 0, 0, 0),
        ("r6g.8xlarge", 32, 0, 0, 0),
        ("p6-b300.48xlarge", 192, 8, 275040, 16),
    ],
)
def test_a_type_has_the_facts_that_ec2_describes(
    name: str, vcpu: int, devices: int, gpu_memory_mib: int, efa: int
) -> None:
    """Source: EC2 DescribeInstanceTypes, read 2026-10-27."""
    row = find_instance(name)
    assert (row.vcpu, row.gpu_devices, row.gpu_memory_mib, row.efa_interfaces) == (vcpu, devices, gpu_memory_mib, efa)


def test_no_type_is_listed_twice() -> None:
    rows = list(csv.DictReader(line for line in CSV.read_text().splitlines() if not line.startswith("#")))
    assert len({row["instance_type"] for row in rows}) == len(rows) == len(list_instances())
    assert all(None not in row and None not in row.values() for row in rows)


def test_an_unknown_instance_type_is_answered_with_the_closest_names() -> None:
    with pytest.raises(CatalogError, match=r"unknown instance type 'p5\.48large'; did you mean p5\.48xlarge") as caught:
        find_instance("p5.48large")
    assert caught.value.kind == "unknown-instance-type"
