"""Types of the arguments that most components take."""

from collections.abc import Sequence

import pulumi

Resources = Sequence[pulumi.Resource]
"""The resources that must exist first, for ``depends_on``."""
Options = pulumi.ResourceOptions | None
"""Pulumi's options of a component, such as its parent and providers."""
