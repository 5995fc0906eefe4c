"""A rehearsal with daemons on every node: names from a cache, and images that new nodes pull at once."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpu_blueprint.config import StackConfig
from gpu_blueprint.rehearsal.runner import Rehearsal, rehearse

from ..support.engine_rehearsals import find_pool_of, open_lab
from ..support.rehearsals import GOOD

pytestmark = pytest.mark.lab

Played = tuple[StackConfig, Rehearsal, list[dict[str, Any]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    """The config, the rehearsal, and the DaemonSets and nodes that were there at its end."""
    with open_lab(GOOD / "Pulumi.images-and-names-on-nodes.yaml") as (lab, config):
        found = rehearse(lab, config, lambda _: None)
        daemons = [
            row for row in lab.kube.list("apps/v1", "DaemonSet") if row["metadata"]["namespace"] == "kube-system"
        ]
        yield config, found, daemons, lab.kube.list("v1", "Node")


def test_the_api_server_takes_all_objects_and_every_probe_is_as_expected(played: Played) -> None:
    _, found, _, _ = played
    assert found.refusals == ()
    wrong = {row.probe: f"{row.difference} {row.traceback}" for row in found.results if not row.is_as_expected}
    assert wrong == {} and found.results


def test_daemons_run_on_the_nodes_that_they_are_for(played: Played) -> None:
    """The controller of DaemonSets counts the nodes; the lab has nodes of static pools at every time."""
    _, _, daemons, nodes = played
    wanted = {row["metadata"]["name"]: row["status"]["desiredNumberScheduled"] for row in daemons}
    fixed = [row for row in nodes if _read_labels(row).get("gpu-blueprint/pool") == "fixed"]
    assert wanted["node-local-dns"] == len(nodes) > len(fixed)
    assert wanted["prepull-fixed"] == len(fixed) == 1
    assert set(wanted) == {"node-local-dns", "prepull-fixed", "prepull-train"}


def _read_labels(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return dict(node["metadata"].get("labels", {}))


def test_karpenter_launches_the_volume_of_the_snapshot_and_no_other_from_it(played: Played) -> None:
    config, found, _, _ = played
    for launch in found.launches:
        pool = find_pool_of(config, launch)
        ids = [disk["Ebs"].get("SnapshotId") for disk in launch.template.block_devices]
        assert ids[-1] == pool.disk.snapshot_id and not any(ids[:-1]), pool.name


def test_nodes_with_numbers_of_parallel_pull_get_them_beside_karpenters_settings(played: Played) -> None:
    config, found, _, _ = played
    texts = {find_pool_of(config, launch).name: launch.template.user_data for launch in found.launches}
    assert "max-concurrent-unpacks-per-image = 2" in texts["train"] and "soci" not in texts["serve"]
