"""The shipped stacks on real engines: every probe ends as promised."""

from collections.abc import Iterator

import pytest

from gpu_blueprint.config import Pool
from gpu_blueprint.rehearsal.outcome import Fate
from lab.aws.wire import read_tags

from ..support.engine_rehearsals import Rehearsed, find_pool_of, list_taints, read_settings, rehearse_shipped
from ..support.lab_runs import list_shipped

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module", params=list_shipped("rehearsal", pytest.mark.lab_core))
def played(request: pytest.FixtureRequest) -> Iterator[Rehearsed]:
    """One rehearsal of a stack, shared by all tests."""
    if request.param == "research":
        yield request.getfixturevalue("research")
    else:
        with rehearse_shipped(request.param) as rehearsed:
            yield rehearsed


def test_the_api_server_refuses_nothing(played: Rehearsed) -> None:
    assert played.found.refusals == ()


@pytest.mark.reads("karpenter-objects")
def test_every_probe_is_as_expected(played: Rehearsed) -> None:
    results = played.found.results
    assert {found.probe: f"{found.difference} {found.traceback}" for found in results if not found.is_as_expected} == {}
    assert played.found.is_as_expected


def test_no_fate_is_unclear(played: Rehearsed) -> None:
    unclear = [pod for result in played.found.results for pod in result.outcome.pods if pod.fate is Fate.UNCLEAR]
    assert unclear == []


def test_every_pool_was_launched_in_every_way_to_buy(played: Rehearsed) -> None:
    launched = {(launch.tags["karpenter.sh/nodepool"], launch.lifecycle) for launch in played.found.launches}
    assert launched == {(pool.name, way) for pool in played.config.all_pools for way in pool.purchase}


@pytest.mark.reads("user-data")
def test_user_data_brings_the_labels_and_taints_of_the_pool(played: Rehearsed) -> None:
    for launch in played.found.launches:
        pool, settings = find_pool_of(played.config, launch), read_settings(played.config, launch)
        assert pool.node_labels.items() <= settings.labels.items()
        assert all(taint in list_taints(settings) for taint in pool.node_taints), settings.taints


def test_every_disk_is_encrypted_and_has_the_size_of_the_stack_file(played: Rehearsed) -> None:
    for launch in played.found.launches:
        disks = [disk["Ebs"] for disk in launch.template.block_devices]
        assert {(str(disk["Encrypted"]).lower(), disk["VolumeType"]) for disk in disks} == {("true", "gp3")}
        pool = find_pool_of(played.config, launch)
        assert int(disks[-1]["VolumeSize"]) == played.config.find_disk_gib(pool)


def test_instances_and_volumes_carry_the_tags_that_split_the_bill(played: Rehearsed) -> None:
    for launch in played.found.launches:
        tags = played.config.list_node_tags(find_pool_of(played.config, launch))
        assert tags.items() <= launch.tags.items()
    for fleet in (call for call in played.lab.aws.calls if call.action == "CreateFleet"):
        ours, volumes = (read_tags(fleet.params["TagSpecification"], kind) for kind in ("instance", "volume"))
        pool = next(pool for pool in played.config.all_pools if pool.name == volumes["karpenter.sh/nodepool"])
        assert played.config.list_node_tags(pool).items() <= volumes.items()
        assert volumes == ours


def test_the_metadata_service_demands_a_token_and_hides_from_pods(played: Rehearsed) -> None:
    options = [launch.template.data["MetadataOptions"] for launch in played.found.launches]
    assert {(option["HttpTokens"], str(option["HttpPutResponseHopLimit"])) for option in options} == {("required", "1")}


def test_nodes_for_jobs_of_several_nodes_have_all_their_efa_and_the_others_one_interface(played: Rehearsed) -> None:
    for launch in played.found.launches:
        pool = find_pool_of(played.config, launch)
        efa = pool.candidates[0].efa_interfaces if isinstance(pool, Pool) and pool.multi_node else 0
        assert (len(launch.template.interfaces) or 1, launch.template.efa_count) == (1 + efa, efa)


def test_reserved_nodes_go_into_the_reservation(played: Rehearsed) -> None:
    reserved = {launch.reservation for launch in played.found.launches if launch.lifecycle == "reserved"}
    assert reserved == {row.id for row in played.config.reservations}
    assert {launch.reservation for launch in played.found.launches if launch.lifecycle != "reserved"} <= {""}
