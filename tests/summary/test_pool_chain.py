"""A pool, explained: grants, headroom and the pod that runs there."""

from gpu_blueprint.summary import explain_pool
from gpu_blueprint.summary.pool_chain import build_pod

from ..support import builders
from ..support.plans import shipped_config


def test_the_quota_of_each_grantee_is_listed_by_resource() -> None:
    layout = {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 4}}
    pool = builders.pool(gpu="h100-80gb", sharing=layout)
    teams = [builders.tenant(name=name, gpus={"main": {"1g.10gb": 4}}) for name in ("a", "b")]
    stack = builders.config(pools=[pool], tenants=teams)
    steps = {step.title: step.lines for step in explain_pool(stack, stack.pools[0])}
    assert steps["quota keys"] == (
        "requests.nvidia.com/mig-3g.40gb: a 0, b 0",
        "requests.nvidia.com/mig-1g.10gb: a 4, b 4",
    )


def test_headroom_is_explained_with_its_price() -> None:
    stack = shipped_config("prod")
    steps = {step.title: step.lines for step in explain_pool(stack, stack.pools_by_name["infer-l40s"])}
    assert steps["headroom"][0].startswith("1 × room for a pod of 1 nvidia.com/gpu, 6 CPU and 48Gi,")
    assert steps["headroom"][1].endswith("nodes with 1 × L40S")


def test_a_pod_is_made_where_a_grantee_or_the_caller_wants_it() -> None:
    stack = shipped_config("prod")
    pool = stack.pools_by_name["infer-l4"]
    assert build_pod(stack, pool)["metadata"]["namespace"] == "serving"
    asked = build_pod(stack, pool, namespace="elsewhere", limits={"nvidia.com/gpu.shared": 2})
    assert asked["metadata"]["namespace"] == "elsewhere"
    assert asked["spec"]["containers"][0]["resources"] == {
        "requests": {"cpu": "3600m", "memory": "12Gi"},
        "limits": {"nvidia.com/gpu.shared": 2},
    }
