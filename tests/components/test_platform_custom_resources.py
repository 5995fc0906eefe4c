"""Custom resources against TypeScript types that are generated from the sources of Karpenter, KEDA and the Prometheus operator.

The compiler refuses fields that a type does not have, which the cluster would drop.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..support import builders
from ..support.plans import ROOT, SHIPPED, custom, inside_cluster, plan, plan_of
from ..support.programs import needs_npm, npm
from ..support.team_plan import plan_of_two_teams, reveal_secrets

PACKAGES = {
    "karpenter.sh": "karpenter",
    "karpenter.k8s.aws": "karpenter",
    "monitoring.coreos.com": "prometheus-operator",
    "keda.sh": "keda",
}
TYPES = ROOT / "tests" / "support" / "custom_resources"
COMPILE = ("exec", "--offline", "--", "tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext")


def objects() -> Iterator[dict[str, Any]]:
    """Those of all shipped stacks, and of stacks that say what these do not."""
    existing = {"mode": "existing", "url": "http://prometheus.team:9090", "labels": {"release": "team"}}
    for planned in (*map(plan, SHIPPED), plan_of_two_teams(), plan_of(builders.stack(monitoring=existing))):
        yield from (reveal_secrets(found.inputs) for found in inside_cluster(planned) if custom(found))


def complaints(folder: Path, found: list[dict[str, Any]]) -> str:
    """What the compiler has against objects; nothing if they are of their types."""
    imports, values = set(), []
    for number, one in enumerate(found):
        group, name = one["apiVersion"].split("/")[0], f"I{one['kind']}"
        imports.add(
            f'import type {{ {name} }} from "@kubernetes-models/{PACKAGES[group]}/{one["apiVersion"]}/{one["kind"]}";'
        )
        values.append(f"const plan_of_two_teams{number}: {name} = {json.dumps(one)};")
    (folder / "objects.mts").write_text("\n".join([*sorted(imports), *values]))
    ran = npm(*COMPILE, folder / "objects.mts", cwd=folder)
    assert ran.returncode == 0 or ran.stdout, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages that package-lock.json names."""
    place = tmp_path_factory.mktemp("types")
    for name in ("package.json", "package-lock.json"):
        (place / name).write_bytes((TYPES / name).read_bytes())
    installed = npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=place)
    assert installed.returncode == 0, installed.stderr
    return place


@needs_npm
def test_custom_resources_are_of_the_types_that_their_projects_publish(folder: Path) -> None:
    found = list(objects())
    assert {one["apiVersion"].split("/")[0] for one in found} == set(PACKAGES)
    assert complaints(folder, found) == ""


@needs_npm
def test_a_field_that_no_type_has_would_be_noticed_in_every_kind(folder: Path) -> None:
    first = {one["kind"]: one for one in objects()}
    wrong = [{**one, "spec": {**one["spec"], "misspelt": 1}} for one in first.values()]
    assert complaints(folder, wrong).count("misspelt") == len(wrong) == 7
