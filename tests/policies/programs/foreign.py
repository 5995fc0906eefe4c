"""A program of another company: right as it stands, and wrong by any of its faults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from gpu_blueprint.plan.recorder import Construct

from ..cases.stacks import Path, put

ACCOUNT, REGION = "111122223333", "us-east-1"


@dataclass(frozen=True)
class Providers:
    """The providers of a program, for resources that a fault adds."""

    aws: pulumi.ResourceOptions
    kubernetes: pulumi.ResourceOptions


Build = Callable[[], Providers]
Add = Callable[[Providers], Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fault:
    """One change of a right program, and the verdict that it must have."""

    about: str
    rule: str
    at: str
    """Name of the resource that the verdict is about."""
    name: str = ""
    """Name of the changed resource; empty for ``at``."""
    path: Path = ()
    """Place of the changed argument, as the program writes it."""
    value: Any = None
    add: Add | None = None
    """Makes a resource that the right program does not have."""

    def __str__(self) -> str:
        return self.about


@dataclass(frozen=True, kw_only=True, eq=False)
class Foreign:
    """A program in the style of another company."""

    name: str
    build: Build
    faults: tuple[Fault, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Entries of a levels file in which this company legitimately differs from ours."""
    components: Mapping[str, Construct] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def run(self, fault: Fault | None = None) -> None:
        """Build the program's resources, with one fault if any; Pulumi's SDK calls this."""
        touched: list[str] = []
        if fault and fault.path:
            pulumi.runtime.register_stack_transformation(lambda given: _break(given, fault, touched))
        providers = self.build()
        if fault and fault.add:
            fault.add(providers)
            return
        assert not fault or touched, f"the program has no resource {fault.name or fault.at}"


def _break(
    given: pulumi.ResourceTransformationArgs, fault: Fault, touched: list[str]
) -> pulumi.ResourceTransformationResult | None:
    props: Any = given.props
    if given.name != (fault.name or fault.at) or given.type_.startswith("pulumi:providers:") or touched:
        return None
    touched.append(given.name)
    return pulumi.ResourceTransformationResult(props=put(props, fault.path, fault.value), opts=given.opts)
