"""What AWS itself watches of the bill: budget alarms, anomalies, cost allocation tags, detailed billing."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ..errors import Problem
from ..model import Model
from .addresses import Email
from .aws_names import AnomalyMonitorArn, TopicArn
from .network import repeated
from .scalars import Dollars

MOST_ALARMS = 10
"""Notifications that AWS Budgets takes for one budget."""

Percent = Annotated[int, Field(ge=1, le=1000)]


class Billing(Model):
    """Alarms that AWS raises by itself, from its bill and not from our prices; `monthlyBudget` is the amount."""

    emails: list[Email] = Field(min_length=1, max_length=10)
    """Who is told by e-mail: of budget alarms as they happen, of anomalies once a day."""
    actual_percent: list[Percent] = [50, 80, 100]
    """Percentages of `monthlyBudget` at which what was spent raises an alarm."""
    forecast_percent: list[Percent] = [100]
    """Percentages of `monthlyBudget` at which AWS's forecast for the month raises an alarm."""
    topic_arn: TopicArn | None = None
    """An SNS topic of this account that is told of everything at once, and lets budgets.amazonaws.com and
    costalerts.amazonaws.com publish; one is made unless given."""
    scope: Literal["account", "tag"] = "account"
    """What the budget counts: the whole `account`, or what carries the environment's `tag`, which stays at zero until
    the payer has activated the tag `environment` for cost allocation."""
    anomaly_usd: Dollars = 100
    """US dollars above the usual from which an anomaly is told."""
    anomaly_monitor_arn: AnomalyMonitorArn | None = None
    """The anomaly monitor to use; one for all AWS services is made unless given. AWS allows one of these per account
    and makes it by itself in newer ones: then name that one here, as every further environment of the account must."""
    activate_tags: bool = False
    """Activate our tags for cost allocation. Only the payer's account may, and only about a day after the tags were
    first used; they stay active when the environment is destroyed, since they count for the whole organization."""
    export: bool = False
    """Write hourly billing with resources and, once the payer has opted in, the split of nodes among pods to a bucket
    of its own, where it is kept for three years."""

    def problems(self) -> Iterator[Problem]:
        yield from repeated(self.emails, "emails")
        for field, percents in (("actualPercent", self.actual_percent), ("forecastPercent", self.forecast_percent)):
            right = sorted(set(percents))
            if percents != right:
                yield Problem("todo", (field,), f"{percents} is not in ascending order, each once; write {right}")
        alarms = len(self.actual_percent) + len(self.forecast_percent)
        if not 1 <= alarms <= MOST_ALARMS:
            yield Problem(
                "todo",
                ("actualPercent",),
                f"{alarms} alarms, those of forecastPercent included; AWS takes 1 to {MOST_ALARMS} for one budget",
            )
