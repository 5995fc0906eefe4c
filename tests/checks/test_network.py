"""The network must reach the cluster's API."""

from datetime import date

import pytest

from gpu_blueprint.checks import find_warnings
from gpu_blueprint.checks.network import note_zones_without_control_plane

from ..support.builders import cluster, config, cpu_pool, pool, problems


def test_a_private_api_in_a_vpc_that_does_not_exist_yet_cannot_be_reached() -> None:
    private = cluster(api={"access": "private", "allowedCidrs": ["10.8.0.0/16"]})
    (warning,) = find_warnings(config(cluster=private), date(2026, 11, 20))
    assert str(warning).startswith("cluster.api: nobody can reach a private API")
    subnets = [{"id": f"subnet-0a1b2c3{zone}", "zone": f"us-east-1{zone}"} for zone in "ab"]
    existing = config(cluster=private, network={"mode": "existing", "vpcId": "vpc-0a1b2c3d", "subnets": subnets})
    assert list(find_warnings(existing, date(2026, 11, 20))) == []


@pytest.mark.parametrize(
    ("region", "zone_id"), [("us-east-1", "use1-az3"), ("ca-central-1", "cac1-az3"), ("us-west-2", "")]
)
def test_the_zone_without_control_planes_is_noted_in_its_regions(region: str, zone_id: str) -> None:
    notes = [*note_zones_without_control_plane(config(region))]
    assert [(note.kind, note.severity, note.path) for note in notes] == (
        [("control-plane-zone-unknown", "note", ("network",))] if zone_id else []
    )
    assert all(f"zone {zone_id}, which may be {region}a and {region}b" in note.reason for note in notes)


def test_a_cpu_pool_may_name_only_zones_of_the_network() -> None:
    (found,) = problems(pools=[pool(), cpu_pool(zones=["us-east-1a", "us-east-1f"])])
    assert found.startswith("pools.1.zones.1: 'us-east-1f' is not a zone of the network")
