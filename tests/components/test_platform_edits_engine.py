"""The real Karpenter with running nodes: which edits of a stack make it replace them."""

import copy
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gpu_blueprint.config import StackConfig
from gpu_blueprint.keys import REGION_KEY, STACK_KEY
from gpu_blueprint.loading import parse
from gpu_blueprint.plan import record
from gpu_blueprint.rehearsal.pods import NAMESPACE, build_gpu_pod, build_probe_namespace
from gpu_blueprint.rehearsal.scene import build_scene
from lab.aws import Timings
from lab.lab import Lab
from lab.scene import Scene

from ..support.edits import DRAINING, HARMLESS, Edit, Stack, edit_file, lower_ceiling
from ..support.processes import wait_for

pytestmark = pytest.mark.lab

AT_ONCE = Timings(boot_s=0, device_plugin_s=0, mig_manager_s=0)
CLAIM, POOL = ("karpenter.sh/v1", "NodeClaim"), ("karpenter.sh/v1", "NodePool")
CLASS = ("karpenter.k8s.aws/v1", "EC2NodeClass")
SECONDS_TO_NOTICE = 5
"""Karpenter reports drift about a second after it has read an object, and nothing tells that it found none."""
TRAINING = {"name": "train-l4", "purpose": "training", "gpu": "l4", "purchase": ["on-demand"], "maxGpus": 8}


def add_training(stack: Stack) -> None:
    """Add a pool of every size to dev, and a ceiling of dollars for it; drift shows, and no budget lets nodes go."""
    stack["pools"].append(copy.deepcopy(TRAINING))
    for pool in stack["pools"]:
        pool["disruption"] = {"budgets": [{"nodes": "0"}]}
    stack["tenants"][0]["gpus"]["train-l4"] = 8
    stack |= {"hourlyCeiling": 200, "monthlyBudget": 50_000}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A lab with a node of one GPU in dev's pool, and with a node of four in a pool whose largest nodes hold eight."""
    config, scene = render(leave)
    with Lab(scene, AT_ONCE) as opened:
        opened.install_crds()
        opened.start_karpenter()
        assert opened.load(scene.manifests) == []
        opened.wait_until_ready()
        limits = {"train-l4": {"nvidia.com/gpu": 4}}
        pods = [build_gpu_pod(config, pool, f"on-{pool.name}", limits.get(pool.name)) for pool in config.gpu_pools]
        for pod in pods:
            pod["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
        assert opened.load([build_probe_namespace(), *pods]) == []
        wait_for(lambda: list_phases(opened) == {"Running"})
        types = {row.instance_type for row in opened.aws.instances.values()}
        assert "g6.12xlarge" in types and len(types) == 2
        yield opened


def list_phases(lab: Lab) -> set[str]:
    return {pod["status"].get("phase") for pod in lab.kube.list("v1", "Pod", NAMESPACE)}


def leave(_: Stack) -> None:
    """Change nothing."""


def render(edit: Edit) -> tuple[StackConfig, Scene]:
    """Return the config and the scene of dev with the pool for training, after an edit."""

    def edit_all(stack: Stack) -> None:
        add_training(stack)
        edit(stack)

    section = edit_file("dev", edit_all)
    config = parse(section[STACK_KEY], section[REGION_KEY])
    return config, build_scene("dev", config, record("dev", section))


def apply_edit(lab: Lab, edit: Edit) -> None:
    """Load the objects of an edited stack, and wait until Karpenter has read them."""
    assert lab.load(render(edit)[1].manifests) == []
    wait_for(lambda: all(map(is_read, [*lab.kube.list(*POOL), *lab.kube.list(*CLASS)])))


def find_condition(found: Any, kind: str) -> dict[str, Any]:
    """Return a condition of an object that is true; empty if it is not."""
    conditions = found.get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == kind and item["status"] == "True"), {})


def is_read(found: Any) -> bool:
    """Return whether Karpenter has judged the newest form of an object."""
    return bool(find_condition(found, "Ready").get("observedGeneration") == found["metadata"]["generation"])


def list_drifts(lab: Lab) -> dict[str, str]:
    """Return pool → the reason why its node is to be replaced."""
    claims = {claim["metadata"]["labels"]["karpenter.sh/nodepool"]: claim for claim in lab.kube.list(*CLAIM)}
    ends = {pool: "deleted" for pool, claim in claims.items() if claim["metadata"].get("deletionTimestamp")}
    drifts = {pool: found["reason"] for pool, claim in claims.items() if (found := find_condition(claim, "Drifted"))}
    return ends | drifts


def list_nodes(lab: Lab) -> set[str]:
    return {claim["metadata"]["name"] for claim in lab.kube.list(*CLAIM)}


EDITS = {
    **HARMLESS,
    "the ceiling below the largest node": lower_ceiling(1, 4),
    "nothing": leave,
}


DRIFTS = {
    "a taint": "NodePoolDrifted",
    "a label": "NodePoolDrifted",
    "the disk": "NodeClassDrift",
    "the way to buy": "RequirementsDrifted",
    "the time to drain": "NodePoolDrifted",
}
"""Edit that drains → Karpenter's reason."""


@pytest.mark.parametrize("edit", EDITS)
def test_karpenter_keeps_the_nodes_after_an_edit_that_drains_nothing(lab: Lab, edit: str) -> None:
    before = list_nodes(lab)
    apply_edit(lab, EDITS[edit])
    time.sleep(SECONDS_TO_NOTICE)
    assert list_drifts(lab) == {}
    assert list_nodes(lab) == before and len(before) == 2


@pytest.mark.parametrize("edit", DRAINING)
def test_karpenter_replaces_the_node_after_an_edit_that_drains(lab: Lab, edit: str) -> None:
    apply_edit(lab, leave)
    wait_for(lambda: list_drifts(lab) == {})
    apply_edit(lab, DRAINING[edit])
    assert wait_for(lambda: list_drifts(lab)) == {"shared-l4": DRIFTS[edit]}
    apply_edit(lab, leave)
    wait_for(lambda: list_drifts(lab) == {})
