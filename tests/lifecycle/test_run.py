from pulumi.automation.events import EngineEvent
from pulumi.runtime import rpc

from gpu_blueprint.lifecycle.run import PolicyMessage, Run, read_state

URN = "urn:pulumi:dev::gpu-blueprint::aws:sqs/queue:Queue::jobs"
NEW = {
    "type": "aws:sqs/queue:Queue",
    "urn": URN,
    "custom": True,
    "id": "",
    "parent": "urn::parent",
    "provider": "urn::provider::some-id",
    "inputs": {"name": rpc.UNKNOWN},
    "outputs": {},
}


def build_event(**event: object) -> EngineEvent:
    return EngineEvent.from_json({"sequence": 1, "timestamp": 1, **event})


def build_step(change: str = "create") -> dict[str, object]:
    return {"metadata": {"op": change, "urn": URN, "type": NEW["type"], "provider": "", "new": NEW}}


def test_a_preview_collects_the_new_resources() -> None:
    run = Run("preview")
    run.read_event(build_event(resourcePreEvent=build_step()))
    made = run.planned[URN]
    assert (made.kind, made.name, made.parent, made.provider) == ("Queue", "jobs", "urn::parent", "urn::provider")
    assert made.inputs == {"name": {"$unknown": True}}
    assert run.changes == {"create": [URN]} and run.count("create", "update") == 1 and run.count("update") == 0


def test_an_up_counts_changes_and_failures() -> None:
    run = Run("up")
    run.read_event(build_event(resourcePreEvent=build_step("update")))
    run.read_event(build_event(resOpFailedEvent={**build_step("update"), "status": 0, "steps": 0}))
    assert run.changes == {"update": [URN]} and run.failed == [URN] and run.planned == {}


def test_a_rule_that_cannot_run_is_no_violation() -> None:
    run = Run("preview")
    for rule, message in (
        ("tags", "Passes if it has tags. Bills.\nno owner\n"),
        ("order", "can't run policy 'order' during preview: unknown"),
    ):
        said = {
            "message": message,
            "color": "never",
            "policyName": rule,
            "policyPackName": "gpu-blueprint",
            "policyPackVersion": "1",
            "policyPackVersionTag": "1",
            "enforcementLevel": "mandatory",
            "resourceUrn": URN,
        }
        run.read_event(build_event(policyEvent=said))
    assert run.list_violations() == [PolicyMessage("tags", URN, "mandatory", "no owner")] and len(run.policies) == 2


def test_a_run_without_an_error_has_succeeded() -> None:
    assert Run("up").succeeded and not Run("up", error="locked").succeeded


def test_a_state_is_read_in_the_order_of_creation() -> None:
    rows = [
        {"urn": "b", "type": "t:i:B", "custom": True, "inputs": {"a": 1.0}, "id": "x", "protect": True},
        {
            "urn": "a",
            "type": "t:i:A",
            "dependencies": ["b"],
            "parent": "b",
            "provider": "p::id",
            "deletedWith": "b",
            "retainOnDelete": True,
        },
    ]
    first, second = read_state({"resources": rows}).values()
    assert (first.urn, first.inputs, first.id, first.protect) == ("b", {"a": 1}, "x", True)
    assert (second.dependencies, second.parent, second.provider, second.deleted_with) == (("b",), "b", "p", "b")
    assert second.is_retained and not first.is_retained
    assert read_state({}) == {}
