"""The field ``sharing`` of a pool: the modes in which pods share a GPU."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..model import Model
from ..problem import Problem


class Exclusive(Model):
    """One pod gets one whole GPU."""

    mode: Literal["exclusive"] = "exclusive"
    """Whole GPUs."""


class Mig(Model):
    """Cut every GPU into hardware-isolated instances."""

    mode: Literal["mig"]
    """MIG: memory and compute are isolated by the hardware."""
    profile: str | None = None
    """One profile for the whole GPU, repeated as often as it fits, such as `1g.10gb`."""
    layout: dict[str, Annotated[int, Field(ge=1)]] | None = None
    """A mix of profiles on every GPU, such as `{3g.40gb: 1, 2g.20gb: 1, 1g.10gb: 2}`; AL2023 only."""
    replicas: int | None = Field(None, ge=2, le=64)
    """Number of pods that take turns on one instance (time-slicing over MIG). Default: one pod each."""

    def problems(self) -> Iterator[Problem]:
        if self.profile is None and self.layout is None:
            hint = (
                "write profile (cuts every GPU alike, such as 1g.10gb) "
                "or layout (a mix, such as {3g.40gb: 1, 1g.10gb: 4})"
            )
            yield Problem("mig-profile-or-layout", (), "mode mig needs a profile or a layout", hint)
        if self.profile is not None and self.layout is not None:
            hint = "write either profile (cuts every GPU alike) or layout (a mix)"
            yield Problem("mig-profile-or-layout", (), "mode mig takes a profile or a layout, not both", hint)
        if self.layout == {}:
            yield Problem("mig-layout-empty", ("layout",), "the layout has no profile", "name at least one profile")


class TimeSlicing(Model):
    """Let pods take turns on a GPU; neither memory nor compute is isolated."""

    mode: Literal["time-slicing"]
    """Pods take turns; one pod can use up the memory of the others."""
    replicas: int = Field(ge=2, le=64)
    """Number of pods that share one GPU."""


class Mps(Model):
    """Let pods run at the same time on a GPU through NVIDIA's Multi-Process Service; faults are not isolated."""

    mode: Literal["mps"]
    """Pods run at the same time, each with an equal share of memory and threads."""
    replicas: int = Field(ge=2, le=48)
    """Number of pods that share one GPU."""


Sharing = Annotated[Exclusive | Mig | TimeSlicing | Mps, Field(discriminator="mode")]
