"""The words above the YAML of a run."""

from typing import Any

import pytest

from gpu_blueprint.config import StackConfig
from gpu_blueprint.training.advice import list_notes, list_warnings

from ..support.training_runs import build_config, edit_pool, run_of

NGC = "nvcr.io/nvidia/pytorch:26.09-py3"


def warnings(config: StackConfig | None = None, **words: Any) -> str:
    stack = config or build_config()
    return "\n".join(list_warnings(stack, run_of(stack, **words)))


def notes(**words: Any) -> str:
    return "\n".join(list_notes(run_of(build_config(), **words)))


def test_nodes_without_efa_bring_a_warning() -> None:
    assert "pool plain has no EFA, so the nodes talk over TCP: multiNode: {}" in warnings(nodes=2)
    assert warnings() == warnings(pool="fast", nodes=2) == ""


def test_a_pool_whose_types_have_no_efa_is_told_so() -> None:
    config = build_config(**edit_pool("plain", gpu=None, instanceTypes=["g5.2xlarge"]))
    assert "no type of its nodes has EFA (g5.2xlarge)" in warnings(config, nodes=2)


def test_an_image_that_may_lack_the_plugin_brings_a_warning() -> None:
    assert "some releases of nvcr.io/nvidia/pytorch lack aws-ofi-nccl" in warnings(pool="fast", nodes=2, image=NGC)
    assert warnings(pool="fast", image=NGC) == ""


@pytest.mark.parametrize(
    ("nodes", "kind", "pods"),
    [
        (1, "job", "kubectl logs --follow --namespace red-space job/llm"),
        (2, "jobset", "--selector jobset.sigs.k8s.io/jobset-name=llm --prefix --tail=-1 --max-log-requests=2"),
    ],
)
def test_the_notes_apply_follow_and_delete_the_run(nodes: int, kind: str, pods: str) -> None:
    found = notes(nodes=nodes, name="llm")
    assert "kubectl apply --filename" in found and pods in found
    assert f"kubectl delete {kind} llm --namespace red-space" in found
    assert "exit code 42 ends the run at once; 75 means saved and stopped" in found


def test_a_bucket_says_that_it_renames_and_appends_nothing() -> None:
    assert "/mnt/bucket/red/train is a bucket: nothing there can be renamed" in notes(checkpoints="bucket")
    assert "bucket" not in notes(checkpoints="homes") and "bucket" not in notes()
