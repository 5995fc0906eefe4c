"""All admission policies of a stack: the table of contents."""

from ..config import StackConfig
from .admission import AdmissionPolicy
from .pods import build_pod_policy


def list_policies(config: StackConfig) -> list[AdmissionPolicy]:
    """Return every admission policy of a stack."""
    return [build_pod_policy(config)]
