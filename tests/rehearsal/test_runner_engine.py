"""Rehearsals of the shipped stacks on real engines: every difference is known, and every known difference is there."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import pytest

from gpu_blueprint.rehearsal.outcome import Result
from gpu_blueprint.rehearsal.runner import Rehearsal, list_probes, load_platform, rehearse, run_probes
from gpu_blueprint.rehearsal.scene import TIMINGS, build_scene
from gpu_blueprint.rehearsal.stage import Stage
from lab.lab import Lab
from lab.scene import Scene

from ..support.plans import SHIPPED, plan, shipped_config
from ..support.rehearsals import FILES, load_file, plan_file

pytestmark = pytest.mark.lab

BURST = "pods that come together get one large node"
TOLERATION = "a tenant reaches another pool by its toleration"
KEYLESS = "a toleration without a key puts a pod without GPU on a GPU node"
CRITICAL = "system-node-critical is open to tenants, and preempts others"


@dataclass(frozen=True)
class Known:
    """A difference that nobody has mended yet."""

    stack: str
    probe: str
    reason: str


KNOWN = (
    Known("dev", "shared-l4/burst", BURST),
    Known("research", "h100-slices/burst", BURST),
    *(Known("prod", f"{pool}/burst", BURST) for pool in ("infer-l4", "infer-a10g", "infer-l40s")),
    Known("prod", "serving/foreign-train-h100", TOLERATION),
    Known("prod", "training/foreign-infer-a10g", TOLERATION),
    Known("prod", "training/foreign-infer-l40s", TOLERATION),
    *(
        Known(stack, f"{tenant}/{probe}", reason)
        for stack, tenants in {
            "dev": ("sandbox",),
            "research": ("vision", "language", "robotics"),
            "prod": ("serving", "training"),
        }.items()
        for tenant in tenants
        for probe, reason in (("keyless-toleration", KEYLESS), ("critical-priority", CRITICAL))
    ),
)


@cache
def play(stack: str) -> Rehearsal:
    """Rehearse a shipped stack, once for all tests of this file."""
    config = shipped_config(stack)
    with Lab(build_scene(stack, config, plan(stack)), TIMINGS) as lab:
        return rehearse(lab, config, print)


def explain(results: list[Result]) -> str:
    return "\n".join(f"{result.probe}: {result.difference} {result.traceback}" for result in results)


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_api_server_takes_every_rendered_object(stack: str) -> None:
    assert play(stack).refusals == ()


@pytest.mark.parametrize("stack", SHIPPED)
def test_no_difference_is_unknown(stack: str) -> None:
    known = {row.probe for row in KNOWN if row.stack == stack}
    unknown = [found for found in play(stack).results if not found.is_as_expected and found.probe not in known]
    assert unknown == [], explain(unknown)


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: f"{row.stack}-{row.probe}")
def test_a_known_difference_is_there(row: Known) -> None:
    found = {result.probe: result for result in play(row.stack).results}[row.probe]
    assert not found.is_as_expected, f"{row.reason}: mended; take it out of the table"


@pytest.mark.parametrize("stack", SHIPPED)
def test_launches_are_encrypted_tagged_and_demand_tokens(stack: str) -> None:
    launches = play(stack).launches
    assert launches
    for launch in launches:
        data = launch.template.data
        assert all(disk["Ebs"]["Encrypted"] == "true" for disk in launch.template.block_devices)
        assert data["MetadataOptions"]["HttpTokens"] == "required"
        assert launch.tags["environment"] == shipped_config(stack).environment
        assert f"gpu-blueprint/pool={launch.tags['karpenter.sh/nodepool']}" in launch.template.user_data


def list_good_scenes() -> Iterator[Scene]:
    for file in FILES:
        yield build_scene(file.stem, load_file(file), plan_file(file))


def test_the_api_server_takes_the_objects_of_every_good_config() -> None:
    scenes = [*list_good_scenes()]
    assert len(scenes) > 10
    with Lab(scenes[0], TIMINGS) as lab:
        lab.install_crds()
        refusals = {scene.stack: found for scene in scenes if (found := lab.load(scene.manifests))}
    assert refusals == {}


def test_a_pool_without_its_overlay_differs() -> None:
    config = shipped_config("dev")
    scene = build_scene("dev", config, plan("dev"))
    broken = replace(scene, manifests=tuple(one for one in scene.manifests if one["kind"] != "NodeOverlay"))
    with Lab(broken, TIMINGS) as lab:
        load_platform(lab, print)
        probes = [probe for probe in list_probes(config) if probe.name == "shared-l4/one-gpu"]
        (found,) = run_probes(Stage(lab), probes, print)
    assert "the pod is" in found.difference
