"""The storage of teams in the rehearsal of research: homes on EFS, datasets in a bucket, the pod that `explain` prints.

A member of the team applies the pod.
"""

import pytest
import yaml

from gpu_blueprint.cli import main
from gpu_blueprint.rehearsal.cleaning import clean
from gpu_blueprint.rehearsal.stage import Stage
from gpu_blueprint.subjects.storage.mounts import list_tenant_mounts
from lab.kube import RefusedError
from lab.lab import Lab

from ...support.engine_rehearsals import Rehearsed
from ...support.plans import STACKS

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("rehearsal of research")]
_CLAIM, _POD = ("v1", "PersistentVolumeClaim"), ("v1", "Pod")


def test_each_team_mounts_what_it_may(research: Rehearsed) -> None:
    found = {result.probe: result.difference for result in research.found.results if result.probe.endswith("/mounts")}
    assert found == {f"{tenant.name}/mounts": "" for tenant in research.config.tenants}


def test_the_printed_pod_runs_with_the_volumes_of_its_team(
    research: Rehearsed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(STACKS.parent)
    lab, config = research.lab, research.config
    stage = Stage(lab)
    clean(stage)
    assert main(["explain", "research", "vision", "--pod"]) == 0
    (pod,) = yaml.safe_load_all(capsys.readouterr().out)
    lab.kube.impersonate("a researcher", "tenant-vision").create(pod)
    name = pod["metadata"]["name"]
    try:
        outcome = stage.follow([pod], 0)
        assert [found.landing.pool for found in outcome.pods if found.landing] == ["cpu"], outcome.pods
        vision = next(tenant for tenant in config.tenants if tenant.name == "vision")
        wanted = {mount.claim: mount.volume for mount in list_tenant_mounts(config, vision)}
        assert {claim: find_volume(lab, claim) for claim in list_claims(lab, name)} == wanted
        assert sorted(wanted) == ["datasets", "homes"]
    finally:
        lab.kube.delete(*_POD, name, "vision")


def list_claims(lab: Lab, pod: str) -> list[str]:
    """Return the claims that a running pod of vision mounts."""
    volumes = (lab.kube.get(*_POD, pod, "vision") or {})["spec"]["volumes"]
    return [found["persistentVolumeClaim"]["claimName"] for found in volumes if "persistentVolumeClaim" in found]


def find_volume(lab: Lab, claim: str) -> str | None:
    """Return the volume to which Kubernetes has bound a claim of vision."""
    found = lab.kube.get(*_CLAIM, claim, "vision") or {}
    volume: str = found["spec"]["volumeName"]
    return volume if found["status"]["phase"] == "Bound" else None


def test_a_team_takes_no_volume_of_another_team(research: Rehearsed) -> None:
    theft = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "stolen", "namespace": "robotics"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": "vision.datasets",
            "resources": {"requests": {"storage": "1Mi"}},
        },
    }
    with pytest.raises(RefusedError) as refusal:
        research.lab.kube.impersonate("a researcher", "tenant-robotics").create(theft)
    assert "claim-without-volume-name" in refusal.value.reason
