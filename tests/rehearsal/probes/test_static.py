"""Questions about fixed nodes."""

from gpu_blueprint.rehearsal.probes.static import list_static_probes

from ...support.rehearsals import list_sent_pods, load_example, read_limits


def test_fixed_nodes_are_asked_for_one_of_each_resource() -> None:
    config = load_example("static-mig-h100")
    (probe,) = list_static_probes(config, config.gpu_pools[0])
    assert (probe.name, probe.expected.text) == ("main/one-2g.20gb", "runs in main")
    assert read_limits(list_sent_pods(probe)[0]) == {"nvidia.com/mig-2g.20gb": 1}
