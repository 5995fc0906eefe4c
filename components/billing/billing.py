"""What AWS watches of the bill: a budget with alarms, anomalies, tags by which cost can be told apart."""

from __future__ import annotations  # so that AWS's modules for billing are loaded only where there is billing

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.config import Billing as BillingConfig
from gpu_blueprint.config import StackConfig

from ..cluster.roles import document
from .billing_export import BillingExport

PUBLISHERS = ("budgets.amazonaws.com", "costalerts.amazonaws.com")
"""AWS Budgets, and Cost Anomaly Detection."""
OWNER_ACTIONS = (
    "sns:AddPermission",
    "sns:DeleteTopic",
    "sns:GetTopicAttributes",
    "sns:ListSubscriptionsByTopic",
    "sns:Publish",
    "sns:RemovePermission",
    "sns:SetTopicAttributes",
    "sns:Subscribe",
)
"""What SNS's own default policy allows the owner of a topic; ours takes its place."""


class Billing(pulumi.ComponentResource):
    """Alarms by e-mail and on a topic; whoever wants them in a chat subscribes to ``topic_arn``."""

    topic_arn: str

    def __init__(
        self,
        name: str,
        config: StackConfig,
        billing: BillingConfig,
        *,
        usd_per_month: float,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Billing", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.topic_arn = billing.topic_arn or config.arn("sns", name)
        told = [] if billing.topic_arn else self._make_topic(name, config)
        aws.budgets.Budget(
            f"{name}-budget",
            name=f"{config.cluster_name}-monthly",
            budget_type="COST",
            time_unit="MONTHLY",
            limit_amount=amount(usd_per_month),
            limit_unit="USD",
            # What was used, and not what is left to pay: a credit would hide a node that was forgotten.
            cost_types=aws.budgets.BudgetCostTypesArgs(include_credit=False, include_refund=False),
            cost_filters=cost_filters(config, billing),
            notifications=notifications(billing, self.topic_arn),
            opts=pulumi.ResourceOptions(parent=self, depends_on=told),
        )
        self._watch_anomalies(name, config, billing, told)
        for key in cost_tags(config) if billing.activate_tags else []:
            # To delete it would deactivate the tag for the whole organization.
            keep = pulumi.ResourceOptions(parent=self, retain_on_delete=True)
            aws.costexplorer.CostAllocationTag(f"{name}-tag-{key}", tag_key=key, status="Active", opts=keep)
        if billing.export:
            BillingExport(f"{name}-export", config, opts=child)
        self.register_outputs({"topicArn": self.topic_arn})

    def _make_topic(self, name: str, config: StackConfig) -> list[pulumi.Resource]:
        child = pulumi.ResourceOptions(parent=self)
        topic = aws.sns.Topic(f"{name}-topic", name=name, display_name=f"Cost of {config.cluster_name}", opts=child)
        policy = document(topic_policy(self.topic_arn, config.account_id))
        return [topic, aws.sns.TopicPolicy(f"{name}-topic-policy", arn=topic.arn, policy=policy, opts=child)]

    def _watch_anomalies(
        self, name: str, config: StackConfig, billing: BillingConfig, told: Sequence[pulumi.Resource]
    ) -> None:
        monitor: pulumi.Input[str] | None = billing.anomaly_monitor_arn
        if monitor is None:
            monitor = aws.costexplorer.AnomalyMonitor(
                f"{name}-monitor",
                name=f"{config.cluster_name}-services",
                monitor_type="DIMENSIONAL",
                monitor_dimension="SERVICE",
                opts=pulumi.ResourceOptions(parent=self),
            ).arn
        # Each frequency takes one kind of subscriber: e-mail once a day, SNS at once.
        ways = {"daily": ("EMAIL", billing.emails), "immediate": ("SNS", [self.topic_arn])}
        for frequency, (kind, addresses) in ways.items():
            aws.costexplorer.AnomalySubscription(
                f"{name}-{frequency}",
                name=f"{config.cluster_name}-anomalies-{frequency}",
                frequency=frequency.upper(),
                monitor_arn_lists=[monitor],
                subscribers=[
                    aws.costexplorer.AnomalySubscriptionSubscriberArgs(type=kind, address=address)
                    for address in addresses
                ],
                threshold_expression=threshold(billing.anomaly_usd),
                opts=pulumi.ResourceOptions(parent=self, depends_on=told),
            )


def amount(usd: float) -> str:
    """Write an amount as AWS does: never with an exponent."""
    return f"{Decimal(str(usd)).normalize():f}"


def cost_filters(config: StackConfig, billing: BillingConfig) -> list[aws.budgets.BudgetCostFilterArgs]:
    """What the budget counts: this account, or what carries the environment's tag."""
    if billing.scope == "account":  # the payer's budget would count the whole organization without this
        return [aws.budgets.BudgetCostFilterArgs(name="LinkedAccount", values=[config.account_id])]
    value = f"user:environment${config.environment}"
    return [aws.budgets.BudgetCostFilterArgs(name="TagKeyValue", values=[value])]


def notifications(billing: BillingConfig, topic_arn: str) -> list[aws.budgets.BudgetNotificationArgs]:
    """One alarm per percentage, each by e-mail and on the topic."""
    kinds = {"ACTUAL": billing.actual_percent, "FORECASTED": billing.forecast_percent}
    return [
        aws.budgets.BudgetNotificationArgs(
            notification_type=kind,
            comparison_operator="GREATER_THAN",
            threshold=percent,
            threshold_type="PERCENTAGE",
            subscriber_email_addresses=list(billing.emails),
            subscriber_sns_topic_arns=[topic_arn],
        )
        for kind, percents in kinds.items()
        for percent in percents
    ]


def threshold(usd: float) -> aws.costexplorer.AnomalySubscriptionThresholdExpressionArgs:
    """Only anomalies of at least so many US dollars."""
    return aws.costexplorer.AnomalySubscriptionThresholdExpressionArgs(
        dimension=aws.costexplorer.AnomalySubscriptionThresholdExpressionDimensionArgs(
            key="ANOMALY_TOTAL_IMPACT_ABSOLUTE", match_options=["GREATER_THAN_OR_EQUAL"], values=[amount(usd)]
        )
    )


def cost_tags(config: StackConfig) -> list[str]:
    """The tags by which cost is told apart; to activate one that nothing carries would fail."""
    used = {key for pool in config.pools for key in config.node_tags(pool)}
    return [key for key in ("owner", "environment", "cost-center", "pool", "tenant") if key in used]


def topic_policy(arn: str, account: str) -> dict[str, Any]:
    """Let the account administer the topic, and AWS's two watchers publish what they saw of this account alone."""
    return {
        "Statement": [
            {
                "Sid": "AllowOwner",
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
                "Action": list(OWNER_ACTIONS),
                "Resource": arn,
            },
            {
                "Sid": "AllowAlarms",
                "Effect": "Allow",
                "Principal": {"Service": list(PUBLISHERS)},
                "Action": "sns:Publish",
                "Resource": arn,
                # Not by aws:SourceArn: that Cost Anomaly Detection sends it stands nowhere, and alarms would be lost.
                "Condition": {"StringEquals": {"aws:SourceAccount": account}},
            },
        ]
    }
