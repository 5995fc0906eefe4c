"""What the cost estimate assumes, where the catalogue's assumptions do not fit."""

from collections.abc import Iterator

from pydantic import Field

from ..catalog import instances
from ..errors import Problem, near
from ..model import Model
from .scalars import Share


class SavingsPlan(Model):
    """A commitment that lowers the price of on-demand and reserved instances; spot and Capacity Blocks stay as they are."""

    coverage: Share
    """Share of the on-demand spending that it covers, from 0 to 1."""
    discount: Share
    """What it takes off what it covers, from 0 to 1. AWS publishes rates by type; one-year Compute plans of buyers' guides
    lie between 0.17 and 0.27."""

    @property
    def factor(self) -> float:
        """Price beside the on-demand price, over everything that it may cover."""
        return 1 - self.coverage * self.discount


class Costs(Model):
    """Assumptions of the cost estimate."""

    spot_share: dict[str, Share] = {}
    """Spot price as a share of the on-demand price, by instance family such as `g6`, where you know better than the catalogue."""
    savings_plan: SavingsPlan | None = None
    """A Savings Plan that the account has."""
    load_balancers: int = Field(0, ge=0, le=500)
    """Network Load Balancers that the tenants' services make."""

    def problems(self) -> Iterator[Problem]:
        families = {row.family for row in instances().values() if row.gpu_name}
        for family, share in self.spot_share.items():
            if not share:
                yield Problem(
                    "todo",
                    ("spotShare", family),
                    "spot is never free; write its share of the on-demand price, such as 0.4",
                )
            if family not in families:
                text = f"{family!r} is no instance family with GPUs {near(family, families)}"
                yield Problem("todo", ("spotShare", family), text)
