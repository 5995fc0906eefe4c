"""The first pod in a pool."""

import kubernetes_validate
import pytest

from gpu_blueprint.config import Pool, StackConfig
from gpu_blueprint.summary.first_pod import build_first_cpu_pod, build_first_pod, list_copies
from gpu_blueprint.summary.pods import build_pod

from ..support import builders
from ..support.image_stacks import MIRROR, REGISTRY
from ..support.plans import shipped_config

SHIPPED = [(stack, pool) for stack in map(shipped_config, ("dev", "research", "prod")) for pool in stack.gpu_pools]
LAYOUT = {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 4}}


@pytest.mark.parametrize(
    ("stack", "pool"), SHIPPED, ids=[f"{stack.environment}-{pool.name}" for stack, pool in SHIPPED]
)
def test_it_runs_nvidia_smi_where_every_pod_of_the_pool_runs(stack: StackConfig, pool: Pool) -> None:
    pod, any_pod = build_first_pod(stack, pool), build_pod(stack, pool)
    (container,) = pod["spec"]["containers"]
    assert container["command"] == ["nvidia-smi"] and ":" in container["image"]
    assert pod["spec"]["restartPolicy"] == "Never"
    assert container["resources"]["requests"] == {"cpu": "100m", "memory": "256Mi"}  # fits the smallest quota
    assert container["resources"]["limits"]["memory"] == "256Mi"
    for part in ("nodeSelector", "tolerations"):
        assert pod["spec"].get(part) == any_pod["spec"].get(part)
    kubernetes_validate.validate(pod, "1.36", strict=True)
    assert pod["metadata"] == {"name": f"gpu-test-{pool.name}", "namespace": any_pod["metadata"]["namespace"]}


def test_it_asks_for_a_resource_that_the_quota_of_its_tenant_holds() -> None:
    pool = builders.pool(gpu="h100-80gb", sharing=LAYOUT)
    teams = [
        builders.tenant(name="none", gpus={"main": {"3g.40gb": 0}}),
        builders.tenant(name="some", gpus={"main": {"1g.10gb": 4}}),
    ]
    stack = builders.config(pools=[pool], tenants=teams)
    pod = build_first_pod(stack, stack.gpu_pools[0])
    assert pod["metadata"]["namespace"] == "some"
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    assert {name: count for name, count in limits.items() if "/" in name} == {"nvidia.com/mig-1g.10gb": 1}


def test_a_pool_without_a_tenant_is_tried_in_the_default_namespace() -> None:
    stack = builders.config(pools=[builders.pool()], tenants=[])
    assert build_first_pod(stack, stack.gpu_pools[0])["metadata"]["namespace"] == "default"


@pytest.mark.parametrize(
    ("allowed", "image"),
    [
        ("nvcr.io", "nvcr.io/nvidia/cuda:"),
        ("nvcr.io/nvidia/", "nvcr.io/nvidia/cuda:"),
        ("nvcr.io/nvidia/cuda", "nvcr.io/nvidia/cuda:"),
        ("nvcr.io/nvid", "nvcr.io/nvid/nvidia/cuda:"),
        ("quay.io/team", "quay.io/team/nvidia/cuda:"),
    ],
)
def test_the_image_lies_where_the_stack_allows_images(allowed: str, image: str) -> None:
    stack = builders.config(pools=[builders.pool()], images={"allowed": [allowed]})
    pod = build_first_pod(stack, stack.gpu_pools[0])
    assert pod["spec"]["containers"][0]["image"].startswith(image)


@pytest.mark.parametrize("allowed", [None, ["nvcr.io", "public.ecr.aws/amazonlinux"]])
def test_first_pods_pull_from_the_cache_and_the_mirror(allowed: list[str] | None) -> None:
    images = {"pullThrough": ["ecr-public"], "mirror": MIRROR, **({"allowed": allowed} if allowed else {})}
    stack = builders.config(pools=[builders.pool(), builders.cpu_pool()], images=images)
    pods = build_first_pod(stack, stack.gpu_pools[0]), build_first_cpu_pod(stack, stack.cpu_pools[0])
    gpu, cpu = (pod["spec"]["containers"][0]["image"] for pod in pods)
    assert gpu.startswith(f"{MIRROR}/nvcr.io/nvidia/cuda:")
    assert cpu == f"{REGISTRY}/gpu-test-ecr/amazonlinux/amazonlinux:2023"
    assert not list(list_copies(stack))


def test_an_image_of_elsewhere_must_be_copied_first() -> None:
    stack = builders.config(pools=[builders.pool(), builders.cpu_pool()], images={"allowed": ["nvcr.io"]})
    image = build_first_cpu_pod(stack, stack.cpu_pools[0])["spec"]["containers"][0]["image"]
    ((placed, line),) = list_copies(stack)
    assert placed == image == "nvcr.io/amazonlinux/amazonlinux:2023"
    assert line.startswith(f"copy public.ecr.aws/amazonlinux/amazonlinux:2023 to {image} first")
    assert not list(list_copies(builders.config(pools=[builders.pool()])))
