"""The document about a planned stack."""

from gpu_blueprint.rendering.document import build_document
from gpu_blueprint.summary.stack_chain import EXPLAIN

from ..support.every_subject import build_every_subject


def test_each_key_of_each_subject_is_in_the_document_beside_those_of_the_plan() -> None:
    stack = build_every_subject()
    keys = {key for explain in EXPLAIN.values() for key in explain.document}
    own = {"format", "blueprintVersion", "foundation", "resources", "serviceQuotas", "promises", "requirements"}
    own |= {"warnings", "findings"}
    assert keys.isdisjoint(own) and build_document(stack, [], [], []).keys() == keys | own
