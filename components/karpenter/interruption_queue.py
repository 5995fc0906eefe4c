"""The queue through which Karpenter hears that EC2 will take nodes away, two minutes before it does."""

import json
from typing import Any

import pulumi
import pulumi_aws as aws

from gpu_blueprint.config import StackConfig

EVENTS = {
    "health": ("aws.health", "AWS Health Event"),
    "spot-interruption": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "state-change": ("aws.ec2", "EC2 Instance State-change Notification"),
    "reservation-interruption": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
}
"""Rule → event source and detail type. Source: Karpenter v1.14.1 getting-started cloudformation.yaml."""


class InterruptionQueue(pulumi.ComponentResource):
    """An SQS queue named after the cluster, fed by five EventBridge rules; ``ready`` lists what makes it work."""

    queue_name: str
    arn: str
    ready: list[pulumi.Resource]

    def __init__(self, name: str, config: StackConfig, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-blueprint:components:InterruptionQueue", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.queue_name = config.cluster_name
        self.arn = config.arn("sqs", self.queue_name)
        queue = aws.sqs.Queue(
            f"{name}-queue",
            name=self.queue_name,
            message_retention_seconds=300,
            sqs_managed_sse_enabled=True,
            opts=child,
        )
        policy = aws.sqs.QueuePolicy(
            f"{name}-policy", queue_url=queue.url, policy=json.dumps(queue_policy(self.arn)), opts=child
        )
        self.ready = [queue, policy]
        for role, (source, detail_type) in EVENTS.items():
            rule = aws.cloudwatch.EventRule(
                f"{name}-{role}",
                name_prefix=f"{name[:30]}-{role[:6]}-",
                description=f"{detail_type}, for Karpenter in {config.cluster_name}",
                event_pattern=json.dumps({"source": [source], "detail-type": [detail_type]}),
                opts=child,
            )
            self.ready.append(aws.cloudwatch.EventTarget(f"{name}-{role}", rule=rule.name, arn=queue.arn, opts=child))
        self.register_outputs({"queueName": self.queue_name})


def queue_policy(arn: str) -> dict[str, Any]:
    """Let EventBridge and SQS send, and nobody without TLS."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "AllowEvents",
                "Effect": "Allow",
                "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
                "Action": "sqs:SendMessage",
                "Resource": arn,
            },
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": arn,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }
