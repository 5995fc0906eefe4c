"""Lines about storage beside the tenants: protected stores, exports that end, caches that stay."""

from typing import Any

import pytest

from gpu_blueprint.changes.effects import Effect, ResourceChange
from gpu_blueprint.changes.storage_notices import find_storage_notices
from gpu_blueprint.changes.tenant_storage import BUCKET, EFS, LUSTRE
from gpu_blueprint.plan import PlannedResource

from ..support.changed_resources import build

ASSOCIATION = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
RULE = "aws:ecr/pullThroughCacheRule:PullThroughCacheRule"


def notice(before: list[PlannedResource], after: list[PlannedResource], *changes: ResourceChange) -> list[str]:
    return [*find_storage_notices(before, after, changes)]


def change(found: PlannedResource, effect: Effect) -> ResourceChange:
    return ResourceChange(urn=found.urn, type=found.type, name=found.name, effect=effect)


@pytest.mark.parametrize("type_", [BUCKET, EFS, LUSTRE])
@pytest.mark.parametrize("effect", ["delete", "replace"])
def test_a_protected_store_needs_a_step_by_hand(type_: str, effect: Effect) -> None:
    store = build(type_, "homes", options={"protect": True})
    (line,) = notice([store], [], change(store, effect))
    assert line == (
        "homes is protected, so `pulumi up` refuses the change; if its data may go, run "
        f"`pulumi state unprotect '{store.urn}'` first"
    )


def test_a_store_without_protection_or_without_an_end_needs_none() -> None:
    bare, protected = build(EFS, "a"), build(EFS, "b", options={"protect": True})
    assert notice([bare, protected], [protected], change(bare, "delete"), change(protected, "update")) == []


def exporting(*events: str, **more: Any) -> PlannedResource:
    found: PlannedResource = build(
        ASSOCIATION,
        "scratch-import",
        dataRepositoryPath="s3://d/",
        s3={"autoExportPolicy": {"events": [*events]}},
        **more,
    )
    return found


def test_an_export_that_ends_is_told() -> None:
    line = "new and changed files of scratch-import are no longer copied to s3://d/"
    assert notice([exporting("NEW")], [exporting()]) == notice([exporting("NEW")], []) == [line]
    assert notice([exporting("NEW")], [exporting("NEW", tags={})]) == notice([exporting()], []) == []


def test_a_cache_rule_that_goes_leaves_repositories() -> None:
    rule = build(RULE, "quay", ecrRepositoryPrefix="gpu-quay", upstreamRegistryUrl="quay.io")
    (line,) = notice([rule], [])
    assert line.startswith("ECR keeps the cached repositories gpu-quay/* and bills them until somebody deletes them; ")
    assert "from quay.io itself" in line
    renamed = build(RULE, "other-name", ecrRepositoryPrefix="gpu-quay", upstreamRegistryUrl="quay.io")
    assert notice([rule], [renamed]) == []
