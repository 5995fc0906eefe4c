"""The pod that rules judge: a pod itself, or the template of pods inside another object."""

from ..records import Record


class PodSubject(Record, kw_only=True):
    """CEL for the fields of a pod in an admission request."""

    spec: str
    """CEL for the pod's spec, such as ``object.spec.template.spec``."""
    metadata: str
    """CEL for the pod's metadata; it evaluates to ``{}`` where the object has none."""
    is_template: bool
    """True for a template: no mutating policy has completed it, and ``request.operation`` is not the operation on its
    pods."""


POD = PodSubject(spec="object.spec", metadata="object.metadata", is_template=False)
