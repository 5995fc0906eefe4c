"""Kinds of AWS resources that hold documents."""

from policies.effects.documents import DOCUMENT_FIELDS, DOCUMENT_KINDS, ENDPOINT_KINDS, KEY_KINDS


def test_documents_of_endpoints_are_read_and_grant_nothing() -> None:
    assert set(DOCUMENT_FIELDS) - set(DOCUMENT_KINDS) == set(ENDPOINT_KINDS)
    assert set(KEY_KINDS) <= set(DOCUMENT_KINDS)
