"""A simulation of days of GPU jobs on a stack: Kubernetes' scheduler and Karpenter, without running them."""

from .jobs import Job, Load, Stretch
from .outcome import Outcome
from .run import StackReplay, replay_stack

__all__ = ["Job", "Load", "Outcome", "StackReplay", "Stretch", "replay_stack"]
