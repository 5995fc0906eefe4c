from typing import Any

import pytest

from gpu_blueprint.lifecycle.kubernetes_objects import MemoryObjects, read_live_inputs, to_manifest


def build_object(name: str, kind: str = "ConfigMap", namespace: str | None = "team", **more: Any) -> dict[str, Any]:
    place = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": place, **more}


def test_a_namespace_takes_its_content_along() -> None:
    objects = MemoryObjects()
    objects.apply(build_object("team", "Namespace", None))
    objects.apply(build_object("inside"))
    objects.apply(build_object("outside", namespace="other"))
    assert objects.delete("v1", "Namespace", "team")
    assert objects.list_names() == ["ConfigMap other/outside"]


def test_a_claim_in_memory_is_bound_at_once() -> None:
    objects = MemoryObjects()
    assert objects.apply(build_object("data", "PersistentVolumeClaim"))["status"] == {"phase": "Bound"}
    assert "status" not in objects.apply(build_object("map"))


def test_an_object_in_memory_does_not_follow_the_callers_changes() -> None:
    objects, given = MemoryObjects(), build_object("a", data={"k": "v"})
    objects.apply(given)
    given["data"]["k"] = "other"
    found = objects.get("v1", "ConfigMap", "a", "team")
    assert found and found["data"] == {"k": "v"} and objects.get("v1", "ConfigMap", "b", "team") is None


def test_the_server_gets_neither_status_nor_pulumis_own_fields() -> None:
    assert to_manifest({"kind": "Pod", "status": {}, "__fieldManager": "pulumi"}) == {"kind": "Pod"}


@pytest.mark.parametrize(
    ("live", "found"),
    [
        ({"spec": {"a": 1, "b": [{"c": 2}]}}, {"spec": {"a": 1, "b": [{"c": 2}]}}),
        ({"spec": {"a": 9, "b": [{"c": 2, "d": 3}], "e": 4}, "status": {}}, {"spec": {"a": 9, "b": [{"c": 2}]}}),
        ({"spec": {"a": 1}}, {"spec": {"a": 1}}),
        ({"spec": {"a": 1, "b": []}}, {"spec": {"a": 1, "b": []}}),
    ],
)
def test_a_refresh_reads_the_stated_fields_as_they_are_now(live: dict[str, Any], found: dict[str, Any]) -> None:
    assert read_live_inputs({"spec": {"a": 1, "b": [{"c": 2}]}}, live) == found


def test_a_refresh_reads_the_texts_of_a_secret() -> None:
    objects = MemoryObjects()
    stated = build_object("s", "Secret", stringData={"password": "p"})
    live = objects.apply(stated)
    assert "stringData" not in live and live["data"] == {"password": "cA=="}
    assert read_live_inputs(stated, live) == stated
