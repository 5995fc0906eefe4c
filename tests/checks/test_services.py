"""Services fit the quotas of their tenants and the hours of their pools."""

from gpu_blueprint.checks.services import warn_of_replicas_outside_hours, warn_of_services_that_wait_for_each_other

from ..support import builders


def test_services_that_together_may_want_more_than_the_quota_are_warned_of() -> None:
    fields = builders.services(builders.service(), builders.service(name="rank"))
    (warning,) = warn_of_services_that_wait_for_each_other(builders.config(**fields))
    assert warning.path == ("services", 1, "replicas", "max") and "8 gpu" in warning.message


def test_replicas_that_outlive_the_hours_are_warned_of() -> None:
    hours = {"timezone": "UTC", "start": "08:00", "stop": "18:00"}
    fields = {**builders.services(), "tenants": [builders.tenant()]}
    closed = builders.config(pools=[builders.pool(hours=hours)], **fields)
    (warning,) = warn_of_replicas_outside_hours(closed)
    assert warning.path == ("services", 0, "replicas", "min") and warning.severity == "warning"
    assert list(warn_of_replicas_outside_hours(builders.config(pools=[builders.pool()], **fields))) == []
