"""Entry point of the policy pack; only the Pulumi engine runs it, from whatever folder the user stands in."""

import sys
from pathlib import Path

import pulumi
from pulumi_policy import PolicyPack

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from policies.pack import policies, stack_waivers

PolicyPack(name="gpu-blueprint", policies=policies(stack_waivers(pulumi.Config("gpu-blueprint").get_object("stack"))))
