"""Entry point of the policy pack; only the Pulumi engine runs it, from whatever folder the user stands in."""

import sys
from pathlib import Path

from pulumi_policy import PolicyPack

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from policies.pack import policies

PolicyPack(name="gpu-blueprint", policies=policies())
