"""Python values as literals of CEL, offline and on a real API server."""

from typing import TYPE_CHECKING, Any

import pytest

from gpu_blueprint.cel.literals import write_literal

if TYPE_CHECKING:
    from ..support.tenancy_lab import TenancyLab

TEXTS = [
    "",
    "plain",
    "it's",
    'a "b"',
    "back\\slash",
    "\\' || true || '",
    "line\nbreak\ttab\r",
    "€ 漢 🚀",
    "\x00\x7f",
    "${x}",
]


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        ("it's", r"'it\'s'"),
        ("a\\", r"'a\\'"),
        (7, "7"),
        (True, "true"),
        (["a", ["b"]], "['a', ['b']]"),
        ({"a": {"b": 1}}, "{'a': {'b': 1}}"),
        ({}, "{}"),
        ((), "[]"),
    ],
)
def test_a_value_is_written_as_cel_does(value: Any, literal: str) -> None:
    assert write_literal(value) == literal


def test_a_value_that_cel_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="no literal for"):
        write_literal(1.5)


@pytest.mark.lab
def test_the_api_server_reads_every_text_as_it_was_written(api_server: "TenancyLab") -> None:
    """The policy compares the data of a ConfigMap with the literals."""
    texts = {f"key-{number}": text for number, text in enumerate(TEXTS)}
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    ours = "object.metadata.name == 'texts' && object.metadata.namespace == 'default'"
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "texts"},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "matchConditions": [{"name": "ours", "expression": ours}],
            "validations": [
                {"expression": f"object.data == {write_literal(texts)}", "message": "another text"},
            ],
        },
    }
    binding = {"policyName": "texts", "validationActions": ["Deny"]}
    for made in (policy, {**policy, "kind": "ValidatingAdmissionPolicyBinding", "spec": binding}):
        assert api_server.create(made, dry_run=False).refusal == ""
    api_server.wait_until_enforced()
    place = {"name": "texts", "namespace": "default"}
    same = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": place, "data": texts}
    assert api_server.create(same).refusal == ""
    for key in texts:
        assert "another text" in api_server.create({**same, "data": {**texts, key: "x"}}).refusal
