"""How pods may share a GPU: what a user writes under ``sharing``."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..errors import Problem
from ..model import Model


class Exclusive(Model):
    """One pod gets one whole GPU."""

    mode: Literal["exclusive"] = "exclusive"
    """Whole GPUs."""


class Mig(Model):
    """Cut every GPU into hardware-isolated instances."""

    mode: Literal["mig"]
    """MIG: memory and compute are isolated by the hardware."""
    profile: str | None = None
    """One profile for the whole GPU, as many as fit, such as `1g.10gb`."""
    layout: dict[str, Annotated[int, Field(ge=1)]] | None = None
    """A mix of profiles on every GPU, such as `{3g.40gb: 1, 2g.20gb: 1, 1g.10gb: 2}`; AL2023 only."""
    replicas: int | None = Field(None, ge=2, le=64)
    """How many pods take turns on one instance (time-slicing over MIG); one pod each unless given."""

    def problems(self) -> Iterator[Problem]:
        if self.profile is None and self.layout is None:
            yield Problem(
                "todo",
                (),
                "say profile (every GPU cut alike, such as 1g.10gb) or layout (a mix, such as {3g.40gb: 1, 1g.10gb: 4})",
            )
        if self.profile is not None and self.layout is not None:
            yield Problem("todo", (), "say either profile (every GPU cut alike) or layout (a mix), not both")
        if self.layout == {}:
            yield Problem("todo", ("layout",), "name at least one profile")


class TimeSlicing(Model):
    """Let pods take turns on a GPU; neither memory nor compute is isolated."""

    mode: Literal["time-slicing"]
    """Pods take turns; one pod can use up the memory of all."""
    replicas: int = Field(ge=2, le=64)
    """How many pods share one GPU."""


class Mps(Model):
    """Let pods run at the same time on a GPU through NVIDIA's Multi-Process Service; faults are not isolated."""

    mode: Literal["mps"]
    """Pods run at once, each with an equal share of memory and threads."""
    replicas: int = Field(ge=2, le=48)
    """How many pods share one GPU."""


Sharing = Annotated[Exclusive | Mig | TimeSlicing | Mps, Field(discriminator="mode")]
