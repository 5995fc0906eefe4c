"""A pod with the storage of its tenant."""

from gpu_blueprint.subjects.storage.mounts import list_tenant_mounts
from gpu_blueprint.subjects.storage.pods import mount_storage

from ...support.lab_objects import pod
from ...support.storage_stack import DATASETS, HOMES, WEIGHTS, config_of


def test_a_pod_mounts_each_storage_at_its_path_and_readers_mount_it_read_only() -> None:
    config = config_of(
        [WEIGHTS, {**DATASETS, "tenants": {"vision": "write"}}, {**HOMES, "tenants": {"serving": "write"}}]
    )
    made = mount_storage(
        pod("serving", volumes=[{"name": "tmp", "emptyDir": {}}]), list_tenant_mounts(config, config.tenants[0])
    )
    assert made["spec"]["volumes"] == [
        {"name": "tmp", "emptyDir": {}},
        {"name": "weights", "persistentVolumeClaim": {"claimName": "weights", "readOnly": True}},
        {"name": "homes", "persistentVolumeClaim": {"claimName": "homes"}},
    ]
    assert made["spec"]["containers"][0]["volumeMounts"] == [
        {"name": "weights", "mountPath": "/mnt/weights", "readOnly": True},
        {"name": "homes", "mountPath": "/mnt/homes"},
    ]


def test_a_pod_without_storage_stays_as_it_is() -> None:
    before = pod("serving")
    assert mount_storage(before, [])["spec"]["containers"][0].get("volumeMounts", []) == []
