"""Pinned node images, as the public SSM parameters name them."""

from typing import Any

from gpu_blueprint.live.preflight import Status

from ...support import builders
from ...support.aws_answers import (
    ask,
    images,
)
from ...support.aws_endpoint import Endpoint
from ...support.plans import shipped_config


def test_a_missing_image_fails_with_the_command_that_lists_the_others(aws: Endpoint) -> None:
    aws.answers["GetParameters"] = images(missing="nvidia")
    found = ask(shipped_config("prod"), "node images")
    assert [finding.status for finding in found] == [Status.FAIL, Status.PASS]
    assert "the image does not exist for Kubernetes 1.36 in us-east-1, so no node would start" in found[0].message
    assert "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/nvidia " in found[0].remedy


def test_static_nodes_run_the_image_of_the_clusters_release(aws: Endpoint) -> None:
    static = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 1, "maxGpus": 1}
    found = ask(builders.config(pools=[builders.pool(**static)]), "node images")
    assert [finding.subject for finding in found] == [
        "al2023@v20260923 amd64, NVIDIA",
        "al2023@v20260923 amd64, system nodes",
    ]


def test_more_images_than_one_call_takes_are_all_asked_for(aws: Endpoint) -> None:
    pools = [
        builders.pool(name=f"pool-{day}", ami={"family": "al2023", "version": f"v202608{day}"}) for day in range(10, 21)
    ]
    found = ask(builders.config(pools=pools), "node images")
    assert len(found) == 12  # eleven releases and the system nodes
    assert aws.asked == ["GetParameters"] * 2


def test_images_are_asked_for_as_karpenter_resolves_the_alias(aws: Endpoint) -> None:
    pools = [
        builders.pool(name="arm", gpu="t4g"),
        builders.pool(name="rocket", ami={"family": "bottlerocket", "version": "v1.66.0"}),
    ]
    asked: list[str] = []

    def answer(parameters: dict[str, Any]) -> Any:
        asked.extend(parameters["Names"])
        return images()(parameters)

    aws.answers["GetParameters"] = answer
    ask(builders.config(pools=pools), "node images")
    al2023 = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023"
    assert sorted(asked) == [
        "/aws/service/bottlerocket/aws-k8s-1.36-nvidia/x86_64/1.66.0/image_id",
        f"{al2023}/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.36-v20260923/image_id",
        f"{al2023}/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.36-v20260923/image_id",
    ]
