"""The queue that tells Karpenter of interruptions."""

import pytest

from ...support.iam_documents import as_set, find_policies
from ...support.plans import SHIPPED, shipped_config


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_queue_accepts_only_events_of_aws_over_tls(stack: str) -> None:
    config = shipped_config(stack)
    queue = f"arn:aws:sqs:{config.region}:{config.account_id}:gpu-{stack}"
    allow, deny = find_policies(stack)["-karpenter-interruption-policy"]["Statement"]
    assert (allow["Effect"], allow["Action"], allow["Resource"]) == ("Allow", "sqs:SendMessage", queue)
    assert as_set(allow["Principal"]["Service"]) == {"events.amazonaws.com", "sqs.amazonaws.com"}
    assert (deny["Effect"], deny["Action"], deny["Principal"], deny["Resource"]) == ("Deny", "sqs:*", "*", queue)
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
