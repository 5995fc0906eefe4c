"""Lines about metrics and alerts that a reviewer must know although the stack itself loses nothing."""

from collections.abc import Iterator, Sequence

from ...plan import PlannedResource
from ..cluster.retention import find_smaller_claims, pair_releases
from ..effects import ResourceChange
from ..values import as_list, as_mapping, dig


def find_monitoring_notices(
    before: Sequence[PlannedResource], after: Sequence[PlannedResource], _: Sequence[ResourceChange]
) -> Iterator[str]:
    """Yield a sentence for each claim that stays as large as it is, each receiver that goes and the alerts that end."""
    yield from find_smaller_claims(before, after)
    yield from _find_silent_alerts(before, after)


def _find_silent_alerts(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    for old, new in pair_releases(before, after):
        was, now = _list_receivers(old), _list_receivers(new)
        if gone := [receiver for receiver in was if receiver not in now]:
            nobody = "; alerts reach nobody now" if not now else ""
            yield f"alerts no longer go to {', '.join(gone)}{nobody}"
    was_on, is_on = _list_alerts(before), _list_alerts(after)
    if is_on and (ended := sorted(was_on - is_on)):
        yield f"Prometheus no longer evaluates {', '.join(ended)}"


def _list_alerts(resources: Sequence[PlannedResource]) -> set[str]:
    """Return the names of the alerts in all PrometheusRules."""
    return {
        str(rule["alert"])
        for resource in resources
        if resource.type.endswith(":PrometheusRule")
        for group in as_list(dig(resource.inputs, "spec", "groups"))
        for rule in map(as_mapping, as_list(as_mapping(group).get("rules")))
        if "alert" in rule
    }


def _list_receivers(release: PlannedResource) -> list[str]:
    """Return each receiver of Alertmanager with a way to reach it, such as ``on-call (pagerduty)``."""
    receivers = as_list(dig(release.inputs, "values", "alertmanager", "config", "receivers"))
    return [
        f"{receiver.get('name')} ({way.removesuffix('_configs')})"
        for receiver in map(as_mapping, receivers)
        for way, targets in sorted(receiver.items())
        if way.endswith("_configs") and targets
    ]
