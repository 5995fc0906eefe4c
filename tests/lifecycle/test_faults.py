import threading

import pytest

from gpu_blueprint.lifecycle.cloud import Action, Operation, RefusedError
from gpu_blueprint.lifecycle.faults import Gate, lose_answer_once, refuse_once


def build_operation(kind: str = "Queue", action: Action = "create") -> Operation:
    return Operation(action=action, type=f"aws:sqs/queue:{kind}", name="a", urn="urn::a")


@pytest.mark.parametrize("rule", [refuse_once("Queue", "no capacity"), lose_answer_once("Queue")])
def test_only_the_first_create_of_the_kind_fails(rule: object) -> None:
    assert callable(rule)
    rule(build_operation("Topic"))
    rule(build_operation(action="delete"))
    with pytest.raises(RefusedError, match=r"no capacity|connection reset"):
        rule(build_operation())
    rule(build_operation())


def test_a_gate_holds_a_create_until_it_is_opened() -> None:
    gate, passed = Gate("Queue"), threading.Event()
    gate(build_operation("Topic"))

    def pass_through() -> None:
        gate(build_operation())
        passed.set()

    waiting = threading.Thread(target=pass_through)
    waiting.start()
    assert gate.reached.wait(10) and not passed.is_set()
    gate.open()
    waiting.join(10)
    assert passed.is_set()
    gate(build_operation())
