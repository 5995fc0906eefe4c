"""Each instance type with GPUs has the bandwidth that EC2 states for it."""

import gzip
import json
from pathlib import Path

import moto
import pytest

from gpu_blueprint.catalog import list_instances
from gpu_blueprint.catalog.network_baselines import find_network_mib, list_network_baselines
from gpu_blueprint.errors import CatalogError

DESCRIBED = Path(moto.__file__).with_name("ec2") / "resources" / "instance_types.json.gz"


def test_every_type_with_gpus_has_a_row_and_no_other_type() -> None:
    assert [*list_network_baselines()] == [name for name, row in list_instances().items() if row.gpu_devices]


def test_the_rows_are_the_answers_of_ec2() -> None:
    described = json.loads(gzip.decompress(DESCRIBED.read_bytes()))
    for name, gbps in list_network_baselines().items():
        assert described[name]["NetworkInfo"]["NetworkCards"][0]["BaselineBandwidthInGbps"] == gbps, name


def test_bandwidth_in_mib_a_second() -> None:
    assert find_network_mib("g6.xlarge") == pytest.approx(298, abs=0.1)  # 2.5 Gbit/s
    assert find_network_mib("p5.48xlarge") == pytest.approx(11_921, abs=1)  # 100 Gbit/s


def test_a_type_without_row_is_refused() -> None:
    with pytest.raises(CatalogError, match=r"network_baselines.csv has no m7i.large"):
        find_network_mib("m7i.large")
