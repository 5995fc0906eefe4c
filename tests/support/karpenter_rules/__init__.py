"""The rules by which the API server accepts Karpenter's objects: the CRDs of Karpenter v1.14.1, written by hand.

The rules were written without the code that renders the objects, so that the two can disagree. Each rule has a
counterexample in the ``_cases`` module beside it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .nodeclass import EC2_NODE_CLASS
from .nodeoverlay import NODE_OVERLAY
from .nodepool import NODE_POOL, template
from .shapes import Fields, Map, Text, Violation, broken

KINDS: Mapping[str, tuple[str, Fields]] = {
    "NodePool": ("karpenter.sh/v1", NODE_POOL),
    "EC2NodeClass": ("karpenter.k8s.aws/v1", EC2_NODE_CLASS),
    "NodeOverlay": ("karpenter.sh/v1alpha1", NODE_OVERLAY),
}

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_METADATA = Fields(
    fields={
        "name": Text(pattern=rf"{_LABEL}(\.{_LABEL})*", longest=253),
        "labels": Map(of=Text()),
        "annotations": Map(of=Text()),
    },
    required=("name",),
)


def manifest_shape(kind: str) -> Fields:
    """Return the shape of a whole manifest. All three kinds are cluster-wide and have no namespace."""
    version, spec = KINDS[kind]
    return Fields(
        fields={
            "apiVersion": Text(choices=(version,)),
            "kind": Text(choices=(kind,)),
            "metadata": _METADATA,
            "spec": spec,
        },
        required=("apiVersion", "kind", "metadata", "spec"),
    )


def violations(manifest: Mapping[str, Any]) -> list[Violation]:
    """Return every rule that a manifest breaks."""
    return list(manifest_shape(str(manifest["kind"])).violations(dict(manifest)))


def change_violations(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield the rules that an update from one NodePool to another breaks: some fields are immutable."""
    if ("replicas" in old["spec"]) != ("replicas" in new["spec"]):
        yield broken("spec", "static stays static")
    for field in ("group", "kind"):
        if template(old)["nodeClassRef"][field] != template(new)["nodeClassRef"][field]:
            yield broken("spec.template.spec.nodeClassRef", f"{field} is immutable")
