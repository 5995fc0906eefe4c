"""Simulate days of GPU jobs on a stack, by the rules of kube-scheduler and Karpenter; neither of them runs."""

from .jobs import Job, Load, Stretch
from .outcome import Outcome
from .run import StackReplay, replay_stack

__all__ = ["Job", "Load", "Outcome", "StackReplay", "Stretch", "replay_stack"]
