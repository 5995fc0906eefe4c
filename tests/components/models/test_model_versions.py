"""The objects of a model with two versions."""

from gpu_blueprint.keys import STACK_KEY

from ...support import builders
from ...support.plans import plan_of
from ...support.rehearsed_models import build_file, triton


def test_two_versions_have_a_deployment_each_and_one_budget() -> None:
    model = triton("chat", "main", version="v1", next={"version": "v2", "share": 0.5})
    planned = plan_of(build_file([model], [builders.pool()])["config"][STACK_KEY])
    names = {
        kind: [found.inputs["metadata"]["name"] for found in planned if found.type.endswith(f":{kind}")]
        for kind in ("Deployment", "PodDisruptionBudget")
    }
    assert names == {"Deployment": ["chat-v1", "chat-v2"], "PodDisruptionBudget": ["chat"]}
