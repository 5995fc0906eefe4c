"""For each recorded series a case in which it says something and one in which it says nothing, or zero."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpu_blueprint.monitoring.recording import COUNTERS

from .alert_cases import UP, Series, active, allocatable, busy, gpu, node, pod, pulls, space


@dataclass(frozen=True, slots=True)
class RecordingCase:
    """Series, and what a recorded series then holds: labels, as PromQL writes them, and value."""

    rule: str
    series: Series
    samples: Mapping[str, float]
    only: str = ""
    """A matcher, where the stack has more of the series than the case is about."""
    at: str = "30m"

    @property
    def says_something(self) -> bool:
        """Whether some sample is more than nothing."""
        return any(self.samples.values())


NODE = 'node="n1", pool="main", instance_type="g6.12xlarge", capacity_type="on-demand"'
MAIN, TEAM = 'pool="main"', 'pool="main", tenant="team"'
TURNS = node(pool="turns", kind="g6.xlarge")
HELD = {**node(), **space(), **pod(count=2)}
IDLE = {**node(), **space(), **allocatable(4), **pod(count=2), **busy("0.01x300"), **busy("0.5x300", 1)}
SMALL_USD = 0.8267
L4_USD = 1.1559
"""Of a g6.12xlarge, a quarter, with the part of its volume."""


def twice(series: Series) -> Series:
    """The same from a second kube-state-metrics, as during a rollout."""
    return {name.replace("{", '{instance="10.0.0.2:8080",', 1): values for name, values in series.items()}


def instances(*values: str) -> Series:
    """The activity of each MIG instance of one GPU, all of them the tenant's."""
    cuts = [{"GPU_I_ID": str(at), "GPU_I_PROFILE": "1g.10gb"} for at in range(len(values))]
    said = [active(one, 0, cut, {"namespace": "team"}) for cut, one in zip(cuts, values, strict=True)]
    return {name: one for series in said for name, one in series.items()}


CASES = (
    RecordingCase("gpu_blueprint:gpus_per_unit", {}, {'pool="turns", resource="nvidia_com_gpu_shared"': 0.25}, 'pool="turns"'),
    RecordingCase("gpu_blueprint:gpus_per_unit", {}, {}, 'pool="turns", resource="nvidia_com_gpu"'),
    RecordingCase("gpu_blueprint:gpus_per_device", {}, {'pool="slices", slices="1g"': 1 / 7}, 'pool="slices"'),
    RecordingCase("gpu_blueprint:gpus_per_device", {}, {'pool="cut", slices="3g"': 3 / 7, 'pool="cut", slices="1g"': 1 / 7}, 'pool="cut"'),
    RecordingCase("gpu_blueprint:gpus_per_device", {}, {}, 'pool="unseen"'),
    RecordingCase("gpu_blueprint:usd_per_gpu_hour", {}, {'pool="main", instance_type="g6.12xlarge", capacity_type="on-demand"': L4_USD}, 'pool="main"'),
    RecordingCase("gpu_blueprint:usd_per_gpu_hour", {}, {}, 'pool="main", capacity_type="spot"'),
    RecordingCase("gpu_blueprint:reserved_instances", {}, {'reservation="cr-0a1b2c3d"': 2}),
    RecordingCase("gpu_blueprint:reserved_instances", {}, {}, 'reservation="cr-other"'),
    RecordingCase("gpu_node:pool:info", node(), {NODE: 1}),
    RecordingCase("gpu_node:pool:info", node(pool=""), {}),
    RecordingCase("gpu_namespace:tenant:info", space(), {'namespace="team", tenant="team"': 1}),
    RecordingCase("gpu_namespace:tenant:info", space("kube-system", ""), {'namespace="kube-system", tenant="none"': 1}),
    RecordingCase("gpu_namespace:tenant:info", {}, {}),
    RecordingCase("gpu_node:gpus:total", {**node(), **allocatable(4)}, {NODE: 4}),
    RecordingCase("gpu_node:gpus:total", {**node(), **allocatable(4), **twice(allocatable(4))}, {NODE: 4}),
    RecordingCase("gpu_node:gpus:total", allocatable(4), {}),
    RecordingCase("gpu_pool:gpus:total", {**node(), **allocatable(4)}, {MAIN: 4}),
    RecordingCase("gpu_pool:gpus:total", {**TURNS, **allocatable(8, "nvidia_com_gpu_shared")}, {'pool="turns"': 2}),
    RecordingCase("gpu_pool:gpus:total", {**node(), **allocatable(0)}, {MAIN: 0}),
    RecordingCase(
        "gpu_pod:units:allocated", HELD,
        {'namespace="team", pod="p1", node="n1", resource="nvidia_com_gpu", pool="main", tenant="team"': 2},
    ),
    RecordingCase(
        "gpu_pod:units:allocated", {**HELD, **twice(HELD)},
        {'namespace="team", pod="p1", node="n1", resource="nvidia_com_gpu", pool="main", tenant="team"': 2},
    ),
    RecordingCase(
        "gpu_pod:units:allocated", {**node(), **space(), **pod(phase="Pending")},
        {'namespace="team", pod="p1", node="n1", resource="nvidia_com_gpu", pool="main", tenant="team"': 1},
    ),
    RecordingCase("gpu_pod:units:allocated", {**node(), **space(), **pod(phase="Succeeded")}, {}),
    RecordingCase("gpu_pod:units:allocated", {**node(), **space(), **pod(phase="Failed")}, {}),
    RecordingCase("gpu_pod:units:allocated", {**node(), **space("gpu-headroom", ""), **pod(space="gpu-headroom")}, {}),
    RecordingCase("gpu_pool_tenant:slices:allocated", HELD, {'pool="main", tenant="team", resource="nvidia_com_gpu"': 2}),
    RecordingCase("gpu_pool_tenant:slices:allocated", {**node(), **space()}, {}),
    RecordingCase("gpu_pool_tenant:gpus:allocated", {**TURNS, **space(), **pod(resource="nvidia_com_gpu_shared")}, {'pool="turns", tenant="team"': 0.25}),
    RecordingCase("gpu_pool_tenant:gpus:allocated", {**node(), **space(), **pod(on="")}, {}),
    RecordingCase("gpu_pool:gpus:free", {**HELD, **allocatable(4)}, {MAIN: 2}),
    RecordingCase("gpu_pool:gpus:free", {**node(), **allocatable(4)}, {MAIN: 4}),
    RecordingCase("gpu_pool:gpus:free", {**HELD, **allocatable(2)}, {MAIN: 0}),
    RecordingCase("gpu_device:active:ratio", {**node(), **busy("0.5x60")}, {'node="n1", gpu="0", namespace="team", pod="p1", pool="main"': 0.5}),
    RecordingCase("gpu_device:active:ratio", busy("0.5x60"), {}),
    RecordingCase("gpu_device:active:ratio", {**node(), **active("0x60", 0, {}, {"namespace": "gpu-headroom", "pod": "main-1"})}, {}),
    RecordingCase(
        # A pod of which the exporter sees no process has 0 of its own; the device says what it does.
        "gpu_device:active:ratio", {**node(), **busy("0.5x60"), **gpu("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "0x60", namespace="team", pod="p1")},
        {'node="n1", gpu="0", namespace="team", pod="p1", pool="main"': 0.5},
    ),
    *(
        RecordingCase(name, {**gpu(counter, "2x60", namespace="team", pod="p1"), **gpu(counter, "1x60", 1)}, {'node="n1", gpu="0"': 2, 'node="n1", gpu="1"': 1})
        for counter, name in COUNTERS.items()
    ),
    *(RecordingCase(name, {}, {}) for name in COUNTERS.values()),
    RecordingCase(
        "gpu_device:share:gpus", {**TURNS, **busy("0.5x60"), **busy("0.5x60", holder="p2")},
        {f'node="n1", gpu="0", namespace="team", pod="{holder}", pool="turns"': 0.5 for holder in ("p1", "p2")},
    ),
    RecordingCase("gpu_device:share:gpus", {**node(pool="unseen"), **busy("0.5x60")}, {}),
    RecordingCase("gpu_pool_tenant:gpus:used", {**node(), **space(), **busy("0.5x60"), **busy("1x60", 1)}, {TEAM: 1.5}),
    RecordingCase(
        # As DCGM would call a profile whose memory is not whole.
        "gpu_pool_tenant:gpus:used", {**node(pool="slices"), **space(), **busy("0.5x60", slice_="1g.9gb")},
        {'pool="slices", tenant="team"': 0.5 / 7},
    ),
    RecordingCase(
        "gpu_pool_tenant:gpus:used", {**node(pool="slices"), **space(), **instances("0.5x60", "1x60")},
        {'pool="slices", tenant="team"': 1.5 / 7},
    ),
    RecordingCase("gpu_pool_tenant:gpus:used", {**TURNS, **space(), **busy("0.8x60"), **busy("0.8x60", holder="p2")}, {'pool="turns", tenant="team"': 0.8}),
    RecordingCase("gpu_pool_tenant:gpus:used", {**node(), **space(), **busy("0x60", holder="")}, {}),
    RecordingCase("gpu_pool_tenant:sm_active:avg", {**node(), **space(), **gpu("DCGM_FI_PROF_SM_ACTIVE", "0.4x60", namespace="team")}, {TEAM: 0.4}),
    RecordingCase("gpu_pool_tenant:sm_active:avg", {**node(), **space(), **instances("0.2x60", "0.6x60")}, {TEAM: 0.4}),
    RecordingCase("gpu_pool_tenant:sm_active:avg", {**node(), **space(), **gpu("DCGM_FI_PROF_SM_ACTIVE", "0x60")}, {}),
    RecordingCase("gpu_pool_tenant:sm_active:avg", {**node(), **space("gpu-headroom", ""), **gpu("DCGM_FI_PROF_SM_ACTIVE", "0x60", namespace="gpu-headroom")}, {}),
    RecordingCase("gpu_pod:gpus:idle", IDLE, {'namespace="team", pod="p1", pool="main"': 1}, at="80m"),
    RecordingCase("gpu_pod:gpus:idle", IDLE, {}, at="40m"),
    RecordingCase("gpu_pod:gpus:idle", {**node(), **busy("0.049x300"), **busy("0.051x300", 1)}, {'namespace="team", pod="p1", pool="main"': 1}, at="80m"),
    RecordingCase("gpu_pool:gpus:free", {**node(), **allocatable(4), **space("gpu-headroom", ""), **pod(space="gpu-headroom")}, {MAIN: 4}),
    RecordingCase("gpu_pool_tenant:gpus:idle", IDLE, {TEAM: 1}, at="80m"),
    RecordingCase("gpu_pool_tenant:gpus:idle", {**IDLE, **busy("0.9x300")}, {TEAM: 0}, at="80m"),
    RecordingCase("gpu_pool:usd_per_gpu_hour:avg", {**node(), **allocatable(4)}, {MAIN: L4_USD}),
    RecordingCase("gpu_pool:usd_per_gpu_hour:avg", {**node(kind="g6.xlarge"), **allocatable(1)}, {}),
    RecordingCase("gpu_pool:usd_per_gpu_hour:avg", {**node(), **allocatable(0)}, {}),
    RecordingCase("gpu_pool:usd_per_gpu_hour:avg", {**node(pool="sizes"), **allocatable(4), **node("n2", "sizes", "g6.xlarge"), **allocatable(1, name="n2")},
                  {'pool="sizes"': (4 * L4_USD + SMALL_USD) / 5}),
    RecordingCase("gpu_pool:usd_per_gpu_hour:avg", {**node(pool="fixed", how=""), **allocatable(4)}, {'pool="fixed"': L4_USD}),
    RecordingCase("gpu_pool_tenant:wasted_usd_per_hour:sum", IDLE, {TEAM: L4_USD}, at="80m"),
    RecordingCase("gpu_pool_tenant:wasted_usd_per_hour:sum", IDLE, {}, at="30m"),
    RecordingCase("gpu_pool:wasted_usd_per_hour:sum", IDLE, {MAIN: 3 * L4_USD}, at="80m"),
    RecordingCase("gpu_pool:wasted_usd_per_hour:sum", {**HELD, **allocatable(2)}, {MAIN: 0}),
    RecordingCase("gpu_node:slow_image_pulls:count", pulls("0 2x299"), {'node="n1"': 1}),
    RecordingCase("gpu_node:slow_image_pulls:count", {**pulls("0 2x299"), **pulls("0 1x299", size_="1GB-5GB")}, {'node="n1"': 3}),
    RecordingCase("gpu_node:slow_image_pulls:count", {**pulls("0 3x299"), UP: "1x60"}, {'node="n1"': 0}),
)  # fmt: skip
