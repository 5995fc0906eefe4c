"""Data that is kept for a shorter time is lost; a volume never shrinks."""

from collections.abc import Mapping
from typing import Any

import pytest

from gpu_blueprint.changes.cluster.retention import find_shorter_retention, find_smaller_claims
from gpu_blueprint.changes.verdict import judge, list_reasons
from gpu_blueprint.plan import UNKNOWN, PlannedResource

from ...support.builders import cluster, stack
from ...support.plans import plan_of
from ...support.snapshots import resource


def logs(days: Any, name: str = "/aws/eks/x") -> PlannedResource:
    return resource("aws:cloudwatch/logGroup:LogGroup", "logs", {"name": name, "retentionInDays": days})


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (365, 7, "7 days are deleted: 365 days before"),
        (0, 30, "30 days are deleted: kept for ever before"),
        (None, 30, "30 days are deleted: kept for ever before"),
        (7, 365, ""),
        (7, 7, ""),
        (30, 0, ""),
        (30, None, ""),
        (30, UNKNOWN, ""),
    ],
)
def test_logs_that_are_kept_for_fewer_days_are_lost(was: Any, now: Any, words: str) -> None:
    expected = [f"logs of /aws/eks/x older than {words}"] if words else []
    assert [*find_shorter_retention([logs(was)], [logs(now)])] == expected


def test_another_log_group_is_no_shorter_retention() -> None:
    assert not [*find_shorter_retention([logs(30)], [logs(7, "other")])]
    assert not [*find_shorter_retention([], [logs(7)])] and not [*find_shorter_retention([logs(7)], [])]


def prometheus(name: str = "prometheus", storage: str = "100Gi", **spec: Any) -> PlannedResource:
    claim = {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": storage}}}}}
    values = {"prometheus": {"prometheusSpec": {**spec, "storageSpec": claim}}}
    return resource("kubernetes:helm.sh/v3:Release", "monitoring", {"name": name, "values": values})


@pytest.mark.parametrize(
    ("was", "now", "is_lost"),
    [
        ("30d", "7d", True),
        ("1y", "364d", True),
        ("2w", "14d", False),
        ("1h30m", "89m", True),
        ("90m", "1h30m", False),
        ("7d", "30d", False),
        ("7d", None, True),
        (None, "7d", False),
        ("7d", "often", True),
        ("often", "often", False),
    ],
)
def test_samples_that_are_kept_for_a_shorter_time_are_lost(was: Any, now: Any, is_lost: bool) -> None:
    found = [*find_shorter_retention([prometheus(retention=was)], [prometheus(retention=now)])]
    text = f"Prometheus deletes samples older than {now or '24h'}: {was or '24h'} before"
    assert found == ([text] if is_lost else [])


@pytest.mark.parametrize(
    ("was", "now", "is_lost"),
    [
        ("170GiB", "25GiB", True),
        ("1TiB", "1023GB", True),
        ("1TB", "1024GiB", False),
        ("25GiB", "170GiB", False),
        (None, "25GiB", True),
        ("0B", "25GiB", True),
        ("25GiB", None, False),
        ("25GiB", "0B", False),
    ],
)
def test_samples_that_find_less_room_are_lost(was: Any, now: Any, is_lost: bool) -> None:
    found = [*find_shorter_retention([prometheus(retentionSize=was)], [prometheus(retentionSize=now)])]
    assert found == (
        [f"Prometheus deletes its oldest samples above {now}: {was or 'no limit'} before"] if is_lost else []
    )


def test_releases_that_come_or_go_keep_nothing_shorter() -> None:
    long, short = prometheus(retention="30d"), prometheus("other", "1Gi", retention="1d")
    for find in (find_shorter_retention, find_smaller_claims):
        assert not [*find([long], [short])] and not [*find([], [short])] and not [*find([long], [])]


def test_a_claim_that_exists_never_shrinks() -> None:
    (text,) = find_smaller_claims([prometheus()], [prometheus(storage="30Gi")])
    assert text == (
        "the volume of prometheusSpec stays at 100Gi and costs as much as before: a volume claim that exists cannot "
        "shrink to 30Gi, and a new claim starts without its data"
    )
    for size in ("100Gi", "200Gi", "102400Mi", "all of it"):
        assert not [*find_smaller_claims([prometheus()], [prometheus(storage=size)])]


BUCKET = resource("aws:s3/bucket:Bucket", "costs", {"bucket": "costs"})


def lifecycle(*rules: Mapping[str, Any], bucket: Any = "costs") -> PlannedResource:
    type_ = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
    return resource(type_, "lifecycle", {"bucket": bucket, "rules": [*rules]})


def expire(days: int, prefix: str = "", status: str = "Enabled") -> dict[str, Any]:
    return {"status": status, "filter": {"prefix": prefix}, "expiration": {"days": days}}


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ([expire(90)], [expire(30)], "objects in costs are deleted after 30 days: 90 days before"),
        ([], [expire(30, "a/")], "objects under a/ in costs are deleted after 30 days: kept for ever before"),
        ([expire(90)], [expire(30, "a/")], "objects under a/ in costs are deleted after 30 days: 90 days before"),
        ([expire(90, "a/")], [expire(30)], "objects in costs are deleted after 30 days: kept for ever before"),
        ([expire(30)], [expire(30, "a/")], ""),
        ([expire(30)], [expire(90)], ""),
        ([expire(30)], [], ""),
        ([expire(90)], [expire(30, status="Disabled")], ""),
        (
            [expire(90, status="Disabled")],
            [expire(30)],
            "objects in costs are deleted after 30 days: kept for ever before",
        ),
        (
            [],
            [{"status": "Enabled", "noncurrentVersionExpiration": {"noncurrentDays": 1}}],
            "older versions of objects in costs are deleted after 1 days: kept for ever before",
        ),
    ],
)
def test_objects_that_expire_sooner_are_lost(was: list[Any], now: list[Any], words: str) -> None:
    found = [*find_shorter_retention([BUCKET, lifecycle(*was)], [BUCKET, lifecycle(*now)])]
    assert found == ([words] if words else [])


def test_a_first_rule_on_an_old_bucket_counts_and_on_a_new_bucket_does_not() -> None:
    assert [*find_shorter_retention([BUCKET], [BUCKET, lifecycle(expire(30))])]
    assert not [*find_shorter_retention([], [BUCKET, lifecycle(expire(30))])]
    unknown = lifecycle(expire(30), bucket=UNKNOWN)
    assert not [*find_shorter_retention([BUCKET], [BUCKET, unknown])]
    assert [*find_shorter_retention([lifecycle(expire(90), bucket=UNKNOWN)], [unknown])]


def test_the_edit_of_a_stack_loses_data() -> None:
    install = {"mode": "install", "retentionDays": 30, "storageGib": 200}
    before = plan_of(stack(cluster=cluster(logRetentionDays=365), monitoring=install))
    after = plan_of(
        stack(cluster=cluster(logRetentionDays=7), monitoring={**install, "retentionDays": 5, "storageGib": 30})
    )
    reasons = list_reasons(before, after)
    assert judge(reasons) == "loses-data-or-access"
    assert len([each for each in reasons if each.verdict == "loses-data-or-access"]) == 3
    assert [each.text[:31] for each in reasons if each.is_notice] == ["the volume of prometheusSpec st"]
    assert judge(list_reasons(after, before)) == "nothing"


@pytest.mark.parametrize("values", [None, UNKNOWN, {"prometheus": 1}, {"prometheus": {"prometheusSpec": []}}])
def test_absurd_releases_do_no_harm(values: Any) -> None:
    odd = resource("kubernetes:helm.sh/v3:Release", "monitoring", {"name": "prometheus", "values": values})
    for find in (find_shorter_retention, find_smaller_claims):
        assert not [*find([odd], [prometheus()])] and not [*find([prometheus()], [odd])]
