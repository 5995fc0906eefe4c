"""Read the IAM documents of any resource: which statements they hold, in one typed form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..resources import Resource
from ..values import read_document, read_mapping, read_mappings, read_text, read_texts

DOCUMENT_FIELDS = ("policy", "assumeRolePolicy")
"""Fields of AWS resources that hold a document."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement of an IAM document; a list that is None stands for a field that is not there."""

    allows: bool
    actions: list[str] | None
    not_actions: list[str] | None
    resources: list[str] | None
    not_resources: list[str] | None
    principals: Mapping[str, list[str]] | None
    """Kind of principal, such as AWS or Service → principals; ``"*"`` alone has the kind ``*``."""
    not_principals: Mapping[str, list[str]] | None
    conditions: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    """Operator → condition key → values."""


def list_statements(resource: Resource) -> list[Statement]:
    """Return the statements of all documents that a resource holds.

    Raises:
        NotYetKnownError: A part of a document is not known yet.
        UnreadableError: A document has a form that IAM does not read.
    """
    return resource.compute_once(_read_statements)


def _read_statements(resource: Resource) -> list[Statement]:
    return [
        _read_statement(statement, f"{where}.Statement")
        for where, document in _list_documents(resource)
        for statement in read_mappings(
            read_mapping(read_document(document, where), where).get("Statement"), f"{where}.Statement"
        )
    ]


def _list_documents(resource: Resource) -> Iterator[tuple[str, Any]]:
    for name in DOCUMENT_FIELDS:
        if (document := resource.props.get(name)) is not None:
            yield name, document
    for inline in resource.list_blocks("inlinePolicies"):
        if inline.get("policy") is not None:
            yield "inlinePolicies", inline["policy"]


def _read_statement(given: Mapping[str, Any], where: str) -> Statement:
    return Statement(
        allows=read_text(given.get("Effect"), f"{where}.Effect") == "Allow",
        actions=_read_optional(given, "Action", where),
        not_actions=_read_optional(given, "NotAction", where),
        resources=_read_optional(given, "Resource", where),
        not_resources=_read_optional(given, "NotResource", where),
        principals=_read_principals(given, "Principal", where),
        not_principals=_read_principals(given, "NotPrincipal", where),
        conditions={
            operator: {
                key: read_texts(values, f"{where}.Condition.{operator}.{key}")
                for key, values in read_mapping(keys, f"{where}.Condition.{operator}").items()
            }
            for operator, keys in read_mapping(given.get("Condition"), f"{where}.Condition").items()
        },
    )


def _read_optional(given: Mapping[str, Any], name: str, where: str) -> list[str] | None:
    return read_texts(given[name], f"{where}.{name}") if name in given else None


def _read_principals(given: Mapping[str, Any], name: str, where: str) -> Mapping[str, list[str]] | None:
    if name not in given:
        return None
    if isinstance(given[name], str):
        return {given[name]: [given[name]]}
    principals = read_mapping(given[name], f"{where}.{name}")
    return {kind: read_texts(values, f"{where}.{name}.{kind}") for kind, values in principals.items()}
