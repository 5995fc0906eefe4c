"""The files of a rendered stack: an API server accepts every manifest, and no file holds a secret or a marker."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from gpu_blueprint.keys import REGION_KEY, STACK_KEY
from gpu_blueprint.rendering.files import PLACES

from ..support import builders
from ..support.plans import CUSTOM, ROOT
from ..support.rendered import build_stack_with_every_secret, list_team_objects, render, render_program
from ..support.tiers import keep_some

FLUX = "kustomize.toolkit.fluxcd.io"
MARKER = re.compile(r"\$(unknown|secret|resource)\b")
STACKS, GOOD = (sorted((ROOT / folder).glob("*.yaml")) for folder in ("stacks", "tests/configs/good"))
FILES = [*STACKS, *keep_some(sorted((ROOT / "tests" / "stacks").glob("*.yaml")), 0), *keep_some(GOOD, 5)]
"""The team's own stacks; deep: those of the tests, which the team's begin as, and most of the good configs."""


@pytest.fixture(
    scope="module",
    params=[*FILES, None],
    ids=lambda file: f"{file.parent.name}-{file.stem}" if file else "every secret",
)
def files(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param is None:
        return render(build_stack_with_every_secret())
    section = yaml.safe_load(Path(request.param).read_text())["config"]
    return render(section[STACK_KEY], section[REGION_KEY])


def load(files: Mapping[str, str], folder: str) -> dict[str, Any]:
    return {name: yaml.safe_load(text) for name, text in files.items() if name.startswith(f"{folder}/")}


def test_no_manifest_and_no_values_file_holds_a_marker(files: dict[str, str]) -> None:
    read = {name: text for name, text in files.items() if name.startswith(("manifests/", "incomplete/", "values/"))}
    assert len(read) > 5
    assert [name for name, text in read.items() if MARKER.search(text)] == []


def test_every_builtin_object_is_strictly_valid(files: dict[str, str]) -> None:
    version = json.loads(files["plan.json"])["stack"]["kubernetes"]
    found = [judge_builtin(text, version) for name, text in files.items() if name.startswith("manifests/")]
    assert found.count(version) > 2 and {*found} <= {version, "custom"}


@cache
def judge_builtin(text: str, version: str) -> str:
    """Return the version in which an object is valid, or "custom"; most stacks have the same objects."""
    found = yaml.safe_load(text)
    if found["apiVersion"].startswith(CUSTOM):
        return "custom"
    return str(kubernetes_validate.validate(found, version, strict=True))


def test_a_volume_whose_handle_aws_gives_lies_apart_and_says_so() -> None:
    section = yaml.safe_load((ROOT / "tests/configs/good/Pulumi.storage.yaml").read_text())["config"]
    rendered = render(section[STACK_KEY], section[REGION_KEY])
    apart = sorted(name for name in rendered if name.startswith("incomplete/"))
    assert apart == [
        f"incomplete/persistentvolume-{volume}.yaml"
        for volume in ("speech.homes", "speech.scratch", "vision.homes", "vision.scratch")
    ]
    for name in apart:
        assert rendered[name].startswith("# spec.csi.volume"), name
        assert "because only `pulumi up` knows it" in rendered[name].splitlines()[0]
    assert "is left out" not in rendered["manifests/persistentvolume-vision.weights.yaml"]


def test_kustomize_gets_every_complete_manifest_and_nothing_else(files: dict[str, str]) -> None:
    listed = yaml.safe_load(files["kustomization.yaml"])["resources"]
    assert sorted(listed) == sorted(name for name in files if name.startswith("manifests/"))
    assert [name for name in listed if "only `pulumi up` knows" in files[name]] == []


def test_kustomize_applies_namespaces_and_policies_before_what_they_hold(files: dict[str, str]) -> None:
    """A pod that is created before a policy lacks what the policy adds, and nothing repairs it."""
    kustomization = yaml.safe_load(files["kustomization.yaml"])
    assert kustomization["sortOptions"] == {"order": "fifo"}
    objects = [yaml.safe_load(files[name]) for name in kustomization["resources"]]
    places = {(found["kind"], found["metadata"]["name"]): place for place, found in enumerate(objects)}
    last_policy = max((place for (kind, _), place in places.items() if "AdmissionPolicy" in kind), default=-1)
    tenants = {found["metadata"]["name"] for found in objects if is_tenant(found)}
    for place, found in enumerate(objects):
        namespace = found["metadata"].get("namespace")
        assert places.get(("Namespace", namespace), -1) < place, found["metadata"]
        assert last_policy < place or not ({namespace, found["metadata"]["name"]} & tenants and "spec" in found)


def is_tenant(found: Mapping[str, Any]) -> bool:
    return found["kind"] == "Namespace" and "gpu-blueprint/tenant" in found["metadata"].get("labels", {})


def test_every_file_has_its_place(files: dict[str, str]) -> None:
    assert {name.split("/")[0] for name in files} <= set(PLACES)


def test_a_stack_without_secrets_has_no_page_about_them() -> None:
    assert "secrets.md" not in render(builders.stack())


@pytest.fixture(scope="module")
def team() -> dict[str, str]:
    return render_program(list_team_objects)


def test_a_secret_that_the_program_knows_is_in_no_file(team: dict[str, str]) -> None:
    assert len(team) == 9
    assert [name for name, text in team.items() if "hunter2" in text or "aHVudGVyMg" in text] == []


def test_a_value_that_is_left_out_is_named_at_the_head_of_its_file(team: dict[str, str]) -> None:
    assert team["incomplete/configmap-mixed.yaml"].splitlines()[:3] == [
        "# metadata.labels.uid is left out, because only `pulumi up` knows it",
        "# data.later is left out, because only `pulumi up` knows it",
        "# data.password is a secret and left out; secrets.md says how to set it",
    ]
    found = load(team, "manifests")
    assert load(team, "incomplete")["incomplete/configmap-mixed.yaml"]["data"] == {"plain": "yes"}
    kept = {"annotations": {f"{FLUX}/ssa": "Merge"}}
    token = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token", **kept}}
    assert found["manifests/secret-token.yaml"] == token
    assert found["manifests/configmap-nameless.yaml"]["metadata"] == {"name": "nameless"}
    assert load(team, "values") == {"values/chart.yaml": {"list": ["a", "b"]}}
    assert "# list.1 is left out" in team["values/chart.yaml"]


def list_comments(files: Mapping[str, str]) -> Iterator[str]:
    for name, text in files.items():
        if name.startswith("manifests/secret-"):
            yield from (line for line in text.splitlines() if line.startswith("#"))


def test_the_secrets_of_monitoring_keep_their_plain_values() -> None:
    files = render(build_stack_with_every_secret())
    found = load(files, "manifests")
    assert found["manifests/secret-monitoring-grafana-admin.yaml"]["data"] == {"admin-user": "YWRtaW4="}
    assert found["manifests/secret-monitoring-remote-write.yaml"]["data"] == {"username": "Z3B1"}
    assert "data" not in found["manifests/secret-monitoring-alert-routes.yaml"]
    assert [name for name, manifest in found.items() if "stringData" in manifest] == []
    assert sorted(list_comments(files)) == [
        f"# stringData.{key} is a secret and left out; secrets.md says how to set it"
        for key in ("admin-password", "pagerdutyKey", "password", "slackWebhook", "smtpPassword", "watchdogUrl")
    ]


def test_the_plan_names_the_keys_of_a_secret_and_hides_its_values(team: dict[str, str]) -> None:
    inputs = {found["name"]: found["inputs"] for found in json.loads(team["plan.json"])["resources"]}
    assert inputs["token"]["stringData"] == {"$secret": {"token": "(secret)"}}


def test_each_training_pool_has_a_job_that_people_complete(files: dict[str, str]) -> None:
    stack = json.loads(files["plan.json"])["stack"]
    for name, text in files.items():
        if name.startswith("jobs/"):
            found = yaml.safe_load(text)
            assert found["kind"] in ("Job", "JobSet") and "YOUR-IMAGE" in text and "YOUR-PROGRAM.py" in text
            assert text.startswith("# ") and "kubectl delete" in text
            if found["kind"] == "Job":
                assert kubernetes_validate.validate(found, stack["kubernetes"], strict=True)


def test_the_shipped_stacks_that_train_have_jobs_over_two_nodes() -> None:
    section = yaml.safe_load((ROOT / "tests/stacks/Pulumi.research.yaml").read_text())["config"]
    rendered = render(section[STACK_KEY], section[REGION_KEY])
    assert [name for name in rendered if name.startswith("jobs/")] == ["jobs/a100-train.yaml"]
    found = yaml.safe_load(rendered["jobs/a100-train.yaml"])
    assert (found["kind"], found["metadata"]["namespace"]) == ("JobSet", "vision")
    assert found["spec"]["replicatedJobs"][0]["template"]["spec"]["completions"] == 2


def test_flux_substitutes_nothing_and_keeps_the_keys_of_secrets(files: dict[str, str]) -> None:
    """Flux deletes keys that kubectl wrote and the file lacks, and takes each ``${name}`` for a variable of its own."""
    objects = load(files, "manifests") | load(files, "incomplete") | load(files, "jobs")
    notes = {name: found["metadata"].get("annotations", {}) for name, found in objects.items()}
    with_variables = {name for name in objects if "${" in files[name]}
    assert {name for name, found in notes.items() if found.get(f"{FLUX}/substitute") == "disabled"} == with_variables
    lacking = {name for name in objects if "is a secret and left out" in files[name]}
    assert {name for name, found in notes.items() if found.get(f"{FLUX}/ssa") == "Merge"} == lacking
