"""Problems of billing are found although another part of the file is wrong, and no problem is reported twice."""

from ...support import builders

OTHER_TOPIC = "arn:aws:sns:eu-central-1:111122223333:costs"


def test_a_wrong_budget_or_account_is_reported_once() -> None:
    wrong = {**builders.billing(topicArn=OTHER_TOPIC), "accountId": "1", "monthlyBudget": -1}
    refused = [line.split(":")[0] for line in builders.problems(**wrong)]
    assert sorted(refused) == ["accountId", "monthlyBudget"]


def test_alarms_are_checked_beside_a_wrong_owner() -> None:
    wrong = {**builders.billing(actualPercent=[9, 1]), "owner": 4711}
    refused = [line.split(":")[0] for line in builders.problems(**wrong)]
    assert sorted(refused) == ["billing.actualPercent", "owner"]


def test_alarms_are_checked_beside_unreadable_pools() -> None:
    refused = [line.split(":")[0] for line in builders.problems(**builders.billing(actualPercent=[9, 1]), pools=4711)]
    assert sorted(refused) == ["billing.actualPercent", "pools"]
