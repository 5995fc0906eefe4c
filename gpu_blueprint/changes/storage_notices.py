"""Lines about storage that no tenant's claim tells: protected stores, files that S3 no longer gets, cached images."""

from collections.abc import Iterator, Sequence

from ..plan import PlannedResource
from .effects import ResourceChange
from .tenant_storage import STORES
from .tenant_view import read_list, read_map

_ASSOCIATION = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
_CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"
_KEY = "kmsKeyId"
_CACHE_RULE = "aws:ecr/pullThroughCacheRule:PullThroughCacheRule"


def find_storage_notices(
    before: Sequence[PlannedResource], after: Sequence[PlannedResource], changes: Sequence[ResourceChange]
) -> Iterator[str]:
    """Yield a sentence for each step by hand, and for each thing that stays in AWS or ends there."""
    yield from _find_protected(before, changes)
    yield from _find_kept_keys(before, after)
    yield from _find_ended_exports(before, after)
    yield from _find_left_caches(before, after)


def _find_protected(before: Sequence[PlannedResource], changes: Sequence[ResourceChange]) -> Iterator[str]:
    ends = {change.urn for change in changes if change.effect in ("delete", "replace")}
    for store in before:
        if store.type in STORES and store.urn in ends and store.options.get("protect"):
            yield (
                f"{store.name} is protected, so `pulumi up` refuses the change; if its data may go, run "
                f"`pulumi state unprotect '{store.urn}'` first"
            )


def _find_kept_keys(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield the file systems, and the volumes of claims, that keep the key which they were made with."""
    now = {each.urn: each for each in after}
    for store in before:
        new = now.get(store.urn)
        if new and _KEY in (new.options.get("ignoreChanges") or ()) and new.inputs.get(_KEY) != store.inputs.get(_KEY):
            yield (
                f"{store.name} keeps the key that it was made with, because AWS changes the key of no file system; a "
                "storage of another name gets the new key: copy the files there, then remove this storage"
            )
        elif new and new.type == _CLASS and _read_class_key(new) != _read_class_key(store):
            name = str(read_map(store.inputs, "metadata").get("name"))
            yield f"volumes that claims of the class {name} have already keep their key; new volumes get the new key"


def _read_class_key(storage_class: PlannedResource) -> str | None:
    return read_map(storage_class.inputs, "parameters").get("kmsKeyId")


def _find_ended_exports(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    now = {each.name for each in after if each.type == _ASSOCIATION and _exports(each)}
    for association in before:
        if association.type == _ASSOCIATION and _exports(association) and association.name not in now:
            bucket = association.inputs.get("dataRepositoryPath")
            yield f"new and changed files of {association.name} are no longer copied to {bucket}"


def _exports(association: PlannedResource) -> bool:
    return bool(read_list(read_map(association.inputs, "s3", "autoExportPolicy"), "events"))


def _find_left_caches(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    kept = {each.inputs.get("ecrRepositoryPrefix") for each in after if each.type == _CACHE_RULE}
    for rule in before:
        prefix = rule.inputs.get("ecrRepositoryPrefix")
        if rule.type == _CACHE_RULE and prefix not in kept:
            yield (
                f"ECR keeps the cached repositories {prefix}/* and bills them until somebody deletes them; nodes pull "
                f"new images from {rule.inputs.get('upstreamRegistryUrl')} itself or from the mirror"
            )
