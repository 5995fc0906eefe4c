"""The rules about models are complete, and each shows its faults together with the others."""

import ast

import pytest

from gpu_blueprint.checks import models

from ..support.checked_models import find, triton, vllm
from ..support.plans import ROOT

LISTED = {rule.__name__ for rule in (*models.MODEL_PROBLEMS, *models.MODEL_WARNINGS, *models.MODEL_HINTS)}
WRITTEN = sorted(
    node.name
    for file in (ROOT / "gpu_blueprint" / "checks").glob("model_*.py")
    for node in ast.parse(file.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith(("refuse_", "warn_", "suggest_"))
)


@pytest.mark.parametrize("name", WRITTEN)
def test_every_rule_about_models_is_listed(name: str) -> None:
    assert name in LISTED


def test_a_model_without_faults_has_none() -> None:
    assert find(vllm(), triton()) == {}


def test_one_model_with_many_faults_shows_them_all_beside_those_of_others() -> None:
    wrong = vllm(
        maxModelLen=10**7,
        quantization="mxfp9",
        kvCacheDtype="fp8",
        image={"tag": "latest"},
        drain="3h",
        arguments={"port": 1},
        source={"storage": "nowhere"},
    )
    found = find(wrong, triton(memoryGib=100))
    assert {kind: field for field, kind in found.items()} == {
        "unknown-quantization": "models.0.quantization",
        "image-tag-moves": "models.0.image.tag",
        "drain-beyond-node": "models.0.drain",
        "flag-of-platform": "models.0.arguments.port",
        "unknown-storage": "models.0.source.storage",
        "models-beyond-memory": "models.1.memoryGib",
    }
