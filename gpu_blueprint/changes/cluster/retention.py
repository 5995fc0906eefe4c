"""Data that a change deletes because it is kept for a shorter time or in less space: logs, samples, objects of S3."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any

from ...plan import PlannedResource
from ..quantities import read_quantity
from ..values import as_list, as_mapping, dig

RELEASE = "kubernetes:helm.sh/v3:Release"
_LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
_BUCKET = "aws:s3/bucket:Bucket"
_LIFECYCLES = ("BucketLifecycleConfiguration", "BucketLifecycleConfigurationV2")
_UNITS = {"y": 365 * 86400.0, "w": 7 * 86400.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_POWERS = {unit: 1024.0**power for power, unit in enumerate("BKMGTPE")}
_EXPIRATIONS = {
    "expiration": ("days", "objects"),
    "noncurrentVersionExpiration": ("noncurrentDays", "older versions of objects"),
}


def find_shorter_retention(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for everything that both plans keep, and that the plan after the change keeps less of."""
    yield from _find_logs(before, after)
    yield from _find_samples(before, after)
    yield from _find_objects(before, after)


def _find_logs(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    old, new = (
        {str(group.inputs.get("name", group.name)): _read_days(group.inputs.get("retentionInDays")) for group in groups}
        for groups in ([each for each in plan if each.type == _LOG_GROUP] for plan in (before, after))
    )
    for name in old.keys() & new.keys():
        if new[name] < old[name]:
            yield f"logs of {name} older than {new[name]:g} days are deleted: {_write_days(old[name])} before"


def _find_samples(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    for old, new in pair_releases(before, after):
        was, now = (dig(release.inputs, "values", "prometheus", "prometheusSpec") for release in (old, new))
        if not isinstance(was, Mapping) or not isinstance(now, Mapping):
            continue
        times = was.get("retention"), now.get("retention")
        if _read_duration(times[1], times[0]) < _read_duration(times[0], times[1]):
            yield f"Prometheus deletes samples older than {times[1] or '24h'}: {times[0] or '24h'} before"
        sizes = was.get("retentionSize"), now.get("retentionSize")
        if _read_size(sizes[1]) < _read_size(sizes[0]):
            yield f"Prometheus deletes its oldest samples above {sizes[1]}: {sizes[0] or 'no limit'} before"


def pair_releases(
    before: Sequence[PlannedResource], after: Sequence[PlannedResource]
) -> Iterator[tuple[PlannedResource, PlannedResource]]:
    """Yield the Helm releases of both plans, by their name in the cluster."""
    old, new = (
        {(str(dig(each.inputs, "namespace")), str(each.inputs.get("name", each.name))): each for each in releases}
        for releases in ([each for each in plan if each.type == RELEASE] for plan in (before, after))
    )
    for name, release in old.items():
        if name in new:
            yield release, new[name]


def _find_objects(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    old = {_name_bucket(each): each for each in before if _is_lifecycle(each)}
    buckets = {*old, *(str(each.inputs.get("bucket", each.name)) for each in before if each.type == _BUCKET)}
    buckets |= {each.urn for each in before if each.type == _BUCKET}
    for each in after:
        name = _name_bucket(each)
        if not _is_lifecycle(each) or name not in buckets:
            continue
        was, now = _read_rules(old[name].inputs if name in old else {}), _read_rules(each.inputs)
        for (scope, kind), days in now.items():
            # A rule on a prefix holds for every longer prefix as well.
            rules = [least for (start, same), least in was.items() if same == kind and scope.startswith(start)]
            kept = min(rules, default=inf)
            if days < kept:
                what = f"{_EXPIRATIONS[kind][1]}{f' under {scope}' if scope else ''} in {name.rsplit('::', 1)[-1]}"
                yield f"{what} are deleted after {days:g} days: {_write_days(kept)} before"


def _is_lifecycle(resource: PlannedResource) -> bool:
    return resource.type.startswith("aws:s3/") and resource.type.rsplit(":", 1)[-1] in _LIFECYCLES


def _name_bucket(lifecycle: PlannedResource) -> str:
    """Return the name of a bucket, or its URN while only `pulumi up` knows the name."""
    bucket = lifecycle.inputs.get("bucket")
    if isinstance(bucket, str):
        return bucket
    return next(iter(lifecycle.property_dependencies.get("bucket", ())), lifecycle.urn)


def _read_rules(inputs: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Return prefix and kind of expiration → days, of the rules in force."""
    found: dict[tuple[str, str], float] = {}
    for rule in as_list(inputs.get("rules")):
        if dig(rule, "status") != "Enabled":
            continue
        prefix = str(dig(rule, "filter", "prefix") or dig(rule, "prefix") or "")
        for kind, (field, _) in _EXPIRATIONS.items():
            days = _read_days(dig(rule, kind, field))
            if days < found.get((prefix, kind), inf):
                found[prefix, kind] = days
    return found


def find_smaller_claims(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each volume claim in a release's values that asks for less: a claim never shrinks."""
    for old, new in pair_releases(before, after):
        claims = [dict(_list_claims(release.inputs.get("values"))) for release in (old, new)]
        for place in claims[0].keys() & claims[1].keys():
            was, now = (read_quantity(found[place]) for found in claims)
            if was is not None and now is not None and now < was:
                yield (
                    f"the volume of {place} stays at {claims[0][place]} and costs as much as before: a volume claim "
                    f"that exists cannot shrink to {claims[1][place]}, and a new claim starts without its data"
                )


def _list_claims(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the key above each claim's template, with the size that it requests."""
    for key, below in as_mapping(value).items():
        if key == "volumeClaimTemplate":
            yield place, dig(below, "spec", "resources", "requests", "storage")
        else:
            yield from _list_claims(below, place if key in ("storage", "storageSpec") else str(key))


def _read_days(value: Any) -> float:
    """Return days; without a number, or with 0, data stays for ever."""
    return value if isinstance(value, int | float) and value > 0 else inf


def _write_days(days: float) -> str:
    return "kept for ever" if days == inf else f"{days:g} days"


def _read_duration(value: Any, other: Any) -> float:
    """Return seconds of a duration of Prometheus such as ``15d``; the operator's default without a value."""
    if value is None:
        return 86400.0
    parts = re.findall(r"(\d+)(ms|[ywdhms])", str(value))
    if not parts or "".join(map("".join, parts)) != str(value):
        return 0.0 if value != other else inf
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _read_size(value: Any) -> float:
    """Return bytes of a size of Prometheus such as ``85GiB``; no limit without a size, or with 0."""
    found = re.fullmatch(r"(\d+)([KMGTPE]?)i?B", str(value))
    return (float(found[1]) * _POWERS[found[2] or "B"] or inf) if found else inf
