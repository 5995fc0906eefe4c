"""The drivers that a stack installs, and the nodes that wait for them."""

from gpu_blueprint.subjects.storage.drivers import list_drivers, list_startup_taints, mounts_lustre

from ...support import builders
from ...support.storage_stack import DATASETS, HOMES, SCRATCH, config_of


def test_a_stack_installs_only_the_drivers_that_its_storage_needs() -> None:
    assert list_drivers(config_of([])) == []
    assert [driver.name for driver in list_drivers(config_of([HOMES]))] == ["efs.csi.aws.com"]
    both = config_of([SCRATCH, DATASETS])
    assert [driver.add_on.name for driver in list_drivers(both)] == [
        "aws-mountpoint-s3-csi-driver",
        "aws-fsx-csi-driver",
    ]


def test_nodes_wait_for_the_drivers_of_the_tenants_who_use_the_pool() -> None:
    config = config_of(
        [{**HOMES, "tenants": {"serving": "read"}}, {**SCRATCH, "tenants": {"vision": "write"}}, DATASETS]
    )
    keys = {pool.name: [taint["key"] for taint in list_startup_taints(config, pool)] for pool in config.all_pools}
    s3, efs, fsx = (f"{kind}.csi.aws.com/agent-not-ready" for kind in ("s3", "efs", "fsx"))
    assert keys == {"main": [s3, efs], "train": [s3, fsx], "cpu": [s3, efs, fsx]}
    assert {taint["effect"] for taint in list_startup_taints(config, config.gpu_pools[0])} == {"NoSchedule"}
    assert [pool.name for pool in config.all_pools if mounts_lustre(config, pool)] == ["train", "cpu"]


def test_a_tenant_without_a_quota_in_a_pool_changes_none_of_its_nodes() -> None:
    tenants = [builders.tenant(name="serving", gpus={"main": 4, "train": 0}), builders.tenant(name="vision", gpus={})]
    config = config_of([{**HOMES, "tenants": {"serving": "read"}}], tenants=tenants)
    train = next(pool for pool in config.gpu_pools if pool.name == "train")
    assert list_startup_taints(config, train) == []
