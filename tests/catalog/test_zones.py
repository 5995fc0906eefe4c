"""The zones of regions, compared with the answers of AWS that moto ships."""

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

from gpu_blueprint.catalog import list_regions
from gpu_blueprint.catalog.zones import find_last_zone


def test_every_zone_that_moto_knows_is_a_zone_of_its_region() -> None:
    for region in list_regions():
        zones = [zone.name for zone in RegionsAndZonesBackend.zones[region]]
        assert zones and max(zones) <= find_last_zone(region)
        if region != "us-west-1":  # an account has two of its three zones
            assert max(zones) == find_last_zone(region)
