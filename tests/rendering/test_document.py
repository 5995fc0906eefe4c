"""The document about a planned stack."""

from gpu_blueprint.explain.stack_steps import EXPLAIN
from gpu_blueprint.rendering.document import build_document

from ..support.every_subject import build_every_subject


def test_each_key_of_each_subject_is_in_the_document() -> None:
    stack = build_every_subject()
    document = build_document(stack, [], [], [])
    written = {key: write(stack) for explain in EXPLAIN.values() for key, write in explain.document.items()}
    assert {key: document[key] for key in written} == written, "another key of the document has the name"
