"""What AWS itself watches of the bill: every resource as it is rendered, and who may do what with it."""

import json
from copy import deepcopy
from typing import Any

import pytest

from components.billing.billing import format_amount, list_cost_tags
from gpu_blueprint.plan import PlannedResource

from ...support import builders
from ...support.builders import ACCOUNT
from ...support.plans import SHIPPED, Plan, is_component, kind, one, package, plan, plan_of, some

TOPIC = "arn:aws:sns:us-east-1:111122223333:gpu-test-billing"
OTHER_TOPIC = "arn:aws:sns:eu-central-1:111122223333:costs"
MONITOR = "arn:aws:ce::111122223333:anomalymonitor/0a1b2c3d"
EMAILS = ["gpu-costs@example.com"]
ALL_ON: dict[str, Any] = {"scope": "tag", "activateTags": True, "export": True}


def billed(**fields: Any) -> Plan:
    """The plan of a stack with billing."""
    return plan_of(builders.stack(**builders.billing(**fields)))


def inputs(planned: Plan, kind_: str, name_part: str = "gpu-test-billing") -> dict[str, Any]:
    return deepcopy(dict(one(planned, kind_, name_part).inputs))


def of_billing(planned: Plan) -> list[PlannedResource]:
    """What the component holds, at any depth, without components."""
    inside: set[str] = set()
    for found in planned:
        if kind(found) == "Billing" or found.parent in inside:
            inside.add(found.urn)
    return [found for found in planned if found.urn in inside and not is_component(found)]


def alarm(kind_: str, percent: int, topic: str = TOPIC, emails: list[str] = EMAILS) -> dict[str, Any]:
    return {
        "notificationType": kind_,
        "comparisonOperator": "GREATER_THAN",
        "threshold": percent,
        "thresholdType": "PERCENTAGE",
        "subscriberEmailAddresses": emails,
        "subscriberSnsTopicArns": [topic],
    }


def test_without_billing_a_budget_builds_nothing() -> None:
    assert of_billing(plan_of(builders.stack(monthlyBudget=20_000, hourlyCeiling=100))) == []
    assert [stack for stack in SHIPPED if of_billing(plan(stack))] == ["prod"]


def test_billing_makes_these_resources() -> None:
    made = sorted(kind(found) for found in of_billing(billed()))
    alarms = ["AnomalyMonitor", "AnomalySubscription", "AnomalySubscription", "Budget", "Topic", "TopicPolicy"]
    assert made == alarms
    more = ["Bucket", "BucketLifecycleConfiguration", "BucketPolicy", "BucketPublicAccessBlock"]
    more += ["BucketServerSideEncryptionConfiguration", *["CostAllocationTag"] * 5, "Export"]
    assert sorted(kind(found) for found in of_billing(billed(**ALL_ON))) == sorted([*alarms, *more])


def test_all_of_it_goes_through_the_one_aws_provider() -> None:
    planned = billed(**ALL_ON)
    provider = one(planned, "pulumi:providers:aws")
    assert {(package(found), found.provider) for found in of_billing(planned)} == {("aws", provider.urn)}


def test_the_budget_counts_the_account_before_credits_and_warns_at_each_threshold() -> None:
    assert inputs(billed(), "Budget") == {
        "name": "gpu-test-monthly",
        "budgetType": "COST",
        "timeUnit": "MONTHLY",
        "limitAmount": "20000",
        "limitUnit": "USD",
        "costTypes": {"includeCredit": False, "includeRefund": False},
        "costFilters": [{"name": "LinkedAccount", "values": [ACCOUNT]}],
        "notifications": [
            alarm("ACTUAL", 50),
            alarm("ACTUAL", 80),
            alarm("ACTUAL", 100),
            alarm("FORECASTED", 100),
        ],
    }


def test_a_budget_by_tag_counts_what_carries_the_environments_tag() -> None:
    filters = [{"name": "TagKeyValue", "values": ["user:environment$test"]}]
    assert inputs(billed(scope="tag"), "Budget")["costFilters"] == filters


def test_the_tag_of_the_budget_is_one_that_every_resource_carries() -> None:
    planned = billed(scope="tag")
    (value,) = inputs(planned, "Budget")["costFilters"][0]["values"]
    key, of = value.removeprefix("user:").split("$")
    assert f'"{key}": "{of}"' in one(planned, "pulumi:providers:aws").inputs["defaultTags"]
    assert one(planned, "EC2NodeClass").inputs["spec"]["tags"][key] == of


def test_alarms_are_those_that_the_file_names_and_reach_everybody_in_it() -> None:
    emails = ["a@example.com", "b@example.com"]
    planned = billed(emails=emails, actualPercent=[90], forecastPercent=[110, 150], topicArn=OTHER_TOPIC)
    expected = [("ACTUAL", 90), ("FORECASTED", 110), ("FORECASTED", 150)]
    found = inputs(planned, "Budget")["notifications"]
    assert found == [alarm(name, percent, OTHER_TOPIC, emails) for name, percent in expected]


def test_one_kind_of_alarm_may_be_left_out() -> None:
    found = inputs(billed(actualPercent=[]), "Budget")["notifications"]
    assert found == [alarm("FORECASTED", 100)]


@pytest.mark.parametrize(
    ("usd", "text"), [(20_000, "20000"), (20_000.0, "20000"), (0.5, "0.5"), (1e7, "10000000"), (12.25, "12.25")]
)
def test_an_amount_is_written_without_exponent(usd: float, text: str) -> None:
    assert format_amount(usd) == text


def test_the_topic_obeys_its_account_and_hears_the_two_watchers_of_this_account_only() -> None:
    owner, alarms = json.loads(inputs(billed(), "TopicPolicy")["policy"])["Statement"]
    assert (owner["Effect"], owner["Resource"]) == ("Allow", TOPIC)
    assert owner["Principal"] == {"AWS": "arn:aws:iam::111122223333:root"}
    assert {"sns:SetTopicAttributes", "sns:DeleteTopic", "sns:Subscribe"} < set(owner["Action"])
    assert alarms == {
        "Sid": "AllowAlarms",
        "Effect": "Allow",
        "Principal": {"Service": ["budgets.amazonaws.com", "costalerts.amazonaws.com"]},
        "Action": "sns:Publish",
        "Resource": TOPIC,
        "Condition": {"StringEquals": {"aws:SourceAccount": "111122223333"}},
    }
    assert inputs(billed(), "Topic")["name"] == TOPIC.rsplit(":", 1)[1]


def test_nothing_publishes_before_the_topic_lets_it() -> None:
    planned = billed()
    policy = one(planned, "TopicPolicy").urn
    waiting = [*some(planned, "Budget"), *some(planned, "AnomalySubscription")]
    assert len(waiting) == 3
    assert all(policy in found.dependencies for found in waiting)


def test_a_topic_that_is_given_is_used_and_not_touched() -> None:
    planned = billed(topicArn=OTHER_TOPIC)
    assert some(planned, "Topic") == some(planned, "TopicPolicy") == []
    assert TOPIC not in json.dumps([found.as_json() for found in of_billing(planned)])


def subscription(frequency: str, kind_: str, address: str, monitor: Any, usd: str = "100") -> dict[str, Any]:
    impact = {"key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE", "matchOptions": ["GREATER_THAN_OR_EQUAL"], "values": [usd]}
    return {
        "name": f"gpu-test-anomalies-{frequency.lower()}",
        "frequency": frequency,
        "monitorArnLists": [monitor],
        "subscribers": [{"type": kind_, "address": address}],
        "thresholdExpression": {"dimension": impact},
    }


def test_anomalies_of_all_services_are_told_daily_by_mail_and_at_once_on_the_topic() -> None:
    planned = billed()
    assert inputs(planned, "AnomalyMonitor") == {
        "name": "gpu-test-services",
        "monitorType": "DIMENSIONAL",
        "monitorDimension": "SERVICE",
    }
    unknown = {"$unknown": True}
    assert inputs(planned, "AnomalySubscription", "-daily") == subscription("DAILY", "EMAIL", EMAILS[0], unknown)
    assert inputs(planned, "AnomalySubscription", "-immediate") == subscription("IMMEDIATE", "SNS", TOPIC, unknown)
    monitor = one(planned, "AnomalyMonitor").urn
    assert all(monitor in found.dependencies for found in some(planned, "AnomalySubscription"))


def test_a_monitor_that_is_given_is_used_in_place_of_a_new_one() -> None:
    planned = billed(anomalyMonitorArn=MONITOR, anomalyUsd=250.5, topicArn=OTHER_TOPIC)
    assert some(planned, "AnomalyMonitor") == []
    daily, now = (inputs(planned, "AnomalySubscription", part) for part in ("-daily", "-immediate"))
    assert daily == subscription("DAILY", "EMAIL", EMAILS[0], MONITOR, "250.5")
    assert now == subscription("IMMEDIATE", "SNS", OTHER_TOPIC, MONITOR, "250.5")


def test_everybody_gets_the_daily_mail() -> None:
    emails = [f"{name}@example.com" for name in "abcdefghij"]
    told = inputs(billed(emails=emails), "AnomalySubscription", "-daily")["subscribers"]
    assert told == [{"type": "EMAIL", "address": email} for email in emails]


def test_our_tags_are_activated_only_when_asked_and_stay_so() -> None:
    assert some(billed(), "CostAllocationTag") == []
    tags = some(billed(activateTags=True), "CostAllocationTag")
    keys = {"owner", "environment", "cost-center", "pool", "tenant"}
    assert {found.inputs["tagKey"] for found in tags} == keys
    assert {found.inputs["status"] for found in tags} == {"Active"}
    assert all(found.options["retainOnDelete"] is True for found in tags)


def test_only_tags_that_something_carries_are_activated() -> None:
    assert "tenant" not in list_cost_tags(builders.config(tenants=[]))
    assert "tenant" in list_cost_tags(builders.config())


def test_what_is_activated_is_what_nodes_carry() -> None:
    planned = billed(activateTags=True)
    on_nodes = one(planned, "EC2NodeClass").inputs["spec"]["tags"]
    assert {found.inputs["tagKey"] for found in some(planned, "CostAllocationTag")} == set(on_nodes) - {"managed-by"}


def test_the_longest_names_fit_aws() -> None:
    """AWS: 100 characters for a budget, 256 for a topic."""
    longest = {"cluster": builders.cluster(name="n" * 40), **builders.billing()}
    planned = plan_of(builders.stack(**longest))
    assert len(one(planned, "Budget").inputs["name"]) <= 100
    assert len(one(planned, "Topic").inputs["name"]) <= 256
