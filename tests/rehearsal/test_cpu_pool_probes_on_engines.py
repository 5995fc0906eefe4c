"""CPU pools on real engines: Karpenter launches their nodes, keeps their ceilings, and EC2 gets what the pools say."""

import pytest

from gpu_blueprint.rehearsal.runner import list_probes, load_platform, run_probes
from gpu_blueprint.rehearsal.stage import Stage

from ..support.engine_rehearsals import list_taints, open_lab, read_settings
from ..support.rehearsals import GOOD

pytestmark = pytest.mark.lab


def test_cpu_pools_launch_what_they_promise_and_no_more() -> None:
    """Both architectures and both operating systems; `load_platform` raises if a node class does not get ready."""
    with open_lab(GOOD / "Pulumi.cpu-pools.yaml") as (lab, config):
        assert load_platform(lab, lambda _: None) == []
        probes = [probe for probe in list_probes(config) if probe.subject in ("pool cpu", "pool graviton")]
        results = run_probes(Stage(lab), probes, lambda _: None)
        assert {result.probe: result.difference for result in results if result.difference} == {}
        names = {probe.name for probe in probes}
        assert names == {"cpu/one-pod", "cpu/no-spot", "cpu/ceiling", "graviton/one-pod", "graviton/ceiling"}
        launched = {one.tags["karpenter.sh/nodepool"]: one for one in lab.aws.instances.values()}
        for pool in config.cpu_pools:
            one = launched[pool.name]
            settings = read_settings(config, one)
            assert pool.node_labels.items() <= settings.labels.items()
            assert all(taint in list_taints(settings) for taint in pool.node_taints)
            sizes = [int(disk["Ebs"]["VolumeSize"]) for disk in one.template.block_devices]
            assert sizes[-1] == config.find_disk_gib(pool)
            assert {str(disk["Ebs"]["Encrypted"]).lower() for disk in one.template.block_devices} == {"true"}
