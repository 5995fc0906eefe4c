from typing import Any

import pytest
from pulumi.runtime import rpc

from gpu_blueprint.lifecycle.wire import (
    UNKNOWN,
    convert_to_plan_format,
    from_struct,
    make_reference,
    merge_outputs,
    reveal,
    to_struct,
)

SECRET = {rpc._special_sig_key: rpc._special_secret_sig, "value": "s"}
EXPORTED = {rpc._special_sig_key: rpc._special_secret_sig, "plaintext": '{"a": 1}'}
HIDDEN = {rpc._special_sig_key: rpc._special_secret_sig, "ciphertext": "…"}
OUTPUT = {rpc._special_sig_key: rpc._special_output_value_sig, "value": "o"}


def test_values_survive_the_wire_and_whole_numbers_stay_whole() -> None:
    values = {"a": 1, "b": 1.5, "c": [True, None, {"d": "e"}]}
    assert repr(from_struct(to_struct(values))) == repr(values)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": [SECRET]}, {"a": ["s"]}),
        (EXPORTED, {"a": 1}),
        (OUTPUT, "o"),
        (make_reference("urn", "id"), "id"),
        (make_reference("urn", ""), UNKNOWN),
    ],
)
def test_a_revealed_value_has_no_signatures(value: Any, plain: Any) -> None:
    assert reveal(value) == plain


@pytest.mark.parametrize(
    ("value", "marked"),
    [
        (SECRET, {"$secret": "s"}),
        (EXPORTED, {"$secret": {"a": 1}}),
        (HIDDEN, {"$secret": {"$unknown": True}}),
        (OUTPUT, "o"),
        (make_reference("urn", "id"), {"$resource": "urn"}),
        ({"a": [UNKNOWN, 2.0]}, {"a": [{"$unknown": True}, 2]}),
    ],
)
def test_values_of_the_engine_are_marked_as_a_plan_marks_them(value: Any, marked: Any) -> None:
    assert convert_to_plan_format(value) == marked


def test_a_block_holds_inputs_and_outputs() -> None:
    outputs = {"vpcConfig": {"vpcId": "vpc-1"}, "arn": "arn", "name": "made up"}
    inputs = {"vpcConfig": {"subnetIds": ["a"]}, "name": "given"}
    assert merge_outputs(outputs, inputs) == {
        "vpcConfig": {"vpcId": "vpc-1", "subnetIds": ["a"]},
        "arn": "arn",
        "name": "given",
    }
