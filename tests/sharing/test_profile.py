"""The names, units, labels, taint, settings and overlay of a sharing mode agree with each other."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter

from gpu_blueprint.catalog import (
    AL2023,
    AMI_FAMILIES,
    BOTTLEROCKET,
    AmiFamily,
    Instance,
    find_gpu,
    find_instance,
    list_instances,
)
from gpu_blueprint.sharing import UNSHARED_PLUGIN_CONFIG, Sharing, SharingProfile, derive_profile, find_refusals
from gpu_blueprint.sharing.placement import can_place, list_legal_layouts

SHARING: TypeAdapter[Sharing] = TypeAdapter(Sharing)
GPU_TYPES = [row for row in list_instances().values() if row.gpu_name]
PLUGIN = "nvidia.com/device-plugin.config"
MIG = "nvidia.com/mig.config"
OPERANDS = "nvidia.com/gpu.deploy.operands"
LABEL_VALUE = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"

EXCLUSIVE = {"mode": "exclusive"}
SLICED = {"mode": "mig", "profile": "1g.10gb"}
MIXED = {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 4}}
MIXED_KEY = "h100-80gb-layout-462dfd89"
"""The key ends in a digest of the layout. Another layout is another label, so that Karpenter replaces the old nodes."""
IN_TURNS = {"mode": "time-slicing", "replicas": 4}
AT_ONCE = {"mode": "mps", "replicas": 4}


def profile(model: str, family: AmiFamily, sharing: dict[str, Any], pool: str = "main") -> SharingProfile:
    return derive_profile(pool, find_gpu(model), family, SHARING.validate_python(sharing))


def no_schedule(key: str) -> dict[str, str]:
    return {"key": key, "effect": "NoSchedule"}


def device_plugin(strategy: str, *resources: str, replicas: int) -> dict[str, Any]:
    """Return the device plugin's config file for one strategy."""
    listed = [{"name": name, "replicas": replicas} for name in resources]
    sharing = {"renameByDefault": True, "failRequestsGreaterThanOne": True, "resources": listed}
    return {**({"version": "v1"} if strategy == "mps" else UNSHARED_PLUGIN_CONFIG), "sharing": {strategy: sharing}}


def test_exclusive_on_al2023_needs_no_setting() -> None:
    assert profile("h100-80gb", AL2023, EXCLUSIVE) == SharingProfile(
        summary="whole GPUs", per_device={"nvidia.com/gpu": 1}, taint=no_schedule("nvidia.com/gpu")
    )


def test_mig_on_al2023_cuts_every_gpu_alike_and_names_the_slice() -> None:
    found = profile("h100-80gb", AL2023, SLICED)
    key = "h100-80gb-1g.10gb"
    assert found == SharingProfile(
        summary="7 × 1g.10gb on each GPU (MIG)",
        per_device={"nvidia.com/mig-1g.10gb": 7},
        taint=no_schedule("nvidia.com/mig-1g.10gb"),
        node_labels={MIG: key},
        mig_configs={key: [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 7}}]},
    )
    assert found.units == {"1g.10gb": "nvidia.com/mig-1g.10gb"}


def test_a_mixed_layout_is_named_after_its_pool_and_has_the_pools_taint() -> None:
    found = profile("h100-80gb", AL2023, MIXED, pool="slices")
    assert found.per_device == {"nvidia.com/mig-1g.10gb": 4, "nvidia.com/mig-3g.40gb": 1}
    assert found.taint == {"key": "gpu-blueprint/pool", "value": "slices", "effect": "NoSchedule"}
    assert found.node_labels == {MIG: MIXED_KEY}
    assert found.mig_configs == {
        MIXED_KEY: [{"devices": "all", "mig-enabled": True, "mig-devices": {"3g.40gb": 1, "1g.10gb": 4}}]
    }
    assert list(found.units) == ["1g.10gb", "3g.40gb"]


def test_an_engine_variant_has_a_dot_where_kubernetes_takes_no_plus() -> None:
    found = profile("rtx-pro-6000-96gb", AL2023, {"mode": "mig", "profile": "1g.24gb+gfx"})
    assert found.per_device == {"nvidia.com/mig-1g.24gb.gfx": 4}
    assert found.node_labels == {MIG: "rtx-pro-6000-96gb-1g.24gb.gfx"}
    (config,) = found.mig_configs["rtx-pro-6000-96gb-1g.24gb.gfx"]
    assert config["mig-devices"] == {"1g.24gb+gfx": 4}


@pytest.mark.parametrize(("sharing", "strategy"), [(IN_TURNS, "timeSlicing"), (AT_ONCE, "mps")])
def test_replicas_on_al2023_are_renamed_by_a_labelled_plugin_config(sharing: dict[str, Any], strategy: str) -> None:
    found = profile("l4", AL2023, sharing)
    key = f"{sharing['mode']}-4"
    assert found.per_device == {"nvidia.com/gpu.shared": 4}
    assert found.taint == no_schedule("nvidia.com/gpu.shared")
    assert found.node_labels == {PLUGIN: key}
    assert found.plugin_configs == {key: device_plugin(strategy, "nvidia.com/gpu", replicas=4)}
    assert (found.mig_configs, found.bottlerocket) == ({}, {})


def test_replicas_over_mig_multiply_the_slices_and_share_each_by_name() -> None:
    found = profile("h100-80gb", AL2023, {**MIXED, "replicas": 2}, pool="slices")
    key = f"{MIXED_KEY}-time-slicing-2"
    assert found.per_device == {"nvidia.com/mig-3g.40gb.shared": 2, "nvidia.com/mig-1g.10gb.shared": 8}
    assert found.node_labels == {PLUGIN: key, MIG: MIXED_KEY}
    resources = ("nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb")
    assert found.plugin_configs == {key: device_plugin("timeSlicing", *resources, replicas=2)}
    assert found.units == {
        "3g.40gb": "nvidia.com/mig-3g.40gb.shared",
        "1g.10gb": "nvidia.com/mig-1g.10gb.shared",
    }


@pytest.mark.parametrize(
    ("sharing", "resource", "count", "applied"),
    [
        (EXCLUSIVE, "nvidia.com/gpu", 1, {}),
        (
            SLICED,
            "nvidia.com/gpu",
            7,
            {"device-partitioning-strategy": "mig", "mig": {"profile": {"h100.80gb": "1g.10gb"}}},
        ),
        (
            {**SLICED, "replicas": 2},
            "nvidia.com/gpu.shared",
            14,
            {
                "device-partitioning-strategy": "mig",
                "mig": {"profile": {"h100.80gb": "1g.10gb"}},
                "device-sharing-strategy": "time-slicing",
                "time-slicing": {"replicas": 2, "rename-by-default": True, "fail-requests-greater-than-one": True},
            },
        ),
        (
            IN_TURNS,
            "nvidia.com/gpu.shared",
            4,
            {
                "device-sharing-strategy": "time-slicing",
                "time-slicing": {"replicas": 4, "rename-by-default": True, "fail-requests-greater-than-one": True},
            },
        ),
        (
            AT_ONCE,
            "nvidia.com/gpu.shared",
            4,
            {"device-sharing-strategy": "mps", "mps": {"replicas": 4, "rename-by-default": True}},
        ),
    ],
)
def test_bottlerocket_applies_the_sharing_and_keeps_the_gpu_operator_off(
    sharing: dict[str, Any], resource: str, count: int, applied: dict[str, Any]
) -> None:
    found = profile("h100-80gb", BOTTLEROCKET, sharing)
    assert found.per_device == {resource: count}
    assert found.taint == no_schedule(resource)
    assert found.node_labels == {OPERANDS: "false"}
    assert found.bottlerocket == applied
    assert found.has_operands_off
    assert (found.plugin_configs, found.mig_configs) == ({}, {})


@pytest.mark.parametrize(
    ("model", "family", "reboots"),
    [("a100-80gb", AL2023, True), ("h100-80gb", AL2023, False), ("a100-80gb", BOTTLEROCKET, False)],
    ids=["a100 on AL2023", "h100 on AL2023", "a100 on Bottlerocket"],
)
def test_only_an_a100_whose_mode_is_changed_after_boot_reboots(model: str, family: AmiFamily, reboots: bool) -> None:
    assert profile(model, family, SLICED).reboots is reboots


@pytest.mark.parametrize(
    ("instance_type", "family", "sharing", "overlay"),
    [
        ("p5.48xlarge", AL2023, EXCLUSIVE, {}),
        ("p5.48xlarge", AL2023, SLICED, {"nvidia.com/mig-1g.10gb": 56, "nvidia.com/gpu": 0}),
        ("p5.4xlarge", AL2023, SLICED, {"nvidia.com/mig-1g.10gb": 7, "nvidia.com/gpu": 0}),
        (
            "p5.48xlarge",
            AL2023,
            MIXED,
            {"nvidia.com/mig-3g.40gb": 8, "nvidia.com/mig-1g.10gb": 32, "nvidia.com/gpu": 0},
        ),
        ("p5.48xlarge", BOTTLEROCKET, SLICED, {"nvidia.com/gpu": 56}),
        ("g6.12xlarge", AL2023, IN_TURNS, {"nvidia.com/gpu.shared": 16, "nvidia.com/gpu": 0}),
        ("g6.12xlarge", BOTTLEROCKET, AT_ONCE, {"nvidia.com/gpu.shared": 16, "nvidia.com/gpu": 0}),
        ("g6f.xlarge", AL2023, EXCLUSIVE, {"nvidia.com/gpu": 1}),
        ("g6f.xlarge", AL2023, IN_TURNS, {"nvidia.com/gpu.shared": 4}),
    ],
)
def test_karpenter_is_told_the_resources_that_ec2_does_not_count(
    instance_type: str, family: AmiFamily, sharing: dict[str, Any], overlay: dict[str, int]
) -> None:
    row = find_instance(instance_type)
    assert profile(row.gpu_name, family, sharing).list_overlay(row) == overlay


@pytest.mark.parametrize(
    ("instance_type", "family", "sharing", "field"),
    [
        ("g5.xlarge", AL2023, SLICED, ("sharing", "mode")),
        ("g6f.xlarge", AL2023, SLICED, ("sharing", "mode")),
        ("g6f.xlarge", AL2023, AT_ONCE, ("sharing", "mode")),
        ("p5en.48xlarge", AL2023, SLICED, ("sharing", "profile")),
        ("p5en.48xlarge", AL2023, MIXED, ("sharing", "layout", "3g.40gb")),
        ("p5.48xlarge", AL2023, {"mode": "mig", "layout": {"1g.10gb": 8}}, ("sharing", "layout")),
        ("p5.48xlarge", BOTTLEROCKET, MIXED, ("sharing", "layout")),
        ("p5.48xlarge", BOTTLEROCKET, {"mode": "mig", "profile": "1g.10gb+me"}, ("sharing", "profile")),
        ("g7e.48xlarge", BOTTLEROCKET, {"mode": "mig", "profile": "1g.24gb"}, ("ami", "family")),
        ("g7.2xlarge", AL2023, EXCLUSIVE, ("gpu",)),
    ],
)
def test_an_impossible_combination_is_refused_at_its_field(
    instance_type: str, family: AmiFamily, sharing: dict[str, Any], field: tuple[str, ...]
) -> None:
    row = find_instance(instance_type)
    found = find_refusals(row.gpu, family, SHARING.validate_python(sharing), fractional=row.is_fractional)
    assert [problem.path for problem in found][:1] == [field]


def test_a10g_cannot_be_cut_into_slices() -> None:
    (problem,) = find_refusals(find_gpu("a10g"), AL2023, SHARING.validate_python(SLICED), fractional=False)
    assert problem.message.startswith("a10g has no MIG (GPUs with MIG: a100-40gb, ")


def ways(row: Instance) -> Iterator[dict[str, Any]]:
    """Yield every sharing mode; for MIG every profile and legal layout, those of the H100 if the GPU has no MIG."""
    yield EXCLUSIVE
    yield from ({"mode": mode, "replicas": replicas} for mode in ("time-slicing", "mps") for replicas in (2, 48))
    table = row.gpu.mig or find_gpu("h100-80gb").mig
    assert table
    cuts: list[dict[str, Any]] = [{"profile": name} for name in table.profiles]
    cuts += [{"layout": dict(layout)} for layout in list_legal_layouts(table)]
    for cut in cuts:
        yield {"mode": "mig", **cut}
        yield {"mode": "mig", **cut, "replicas": 2}


@pytest.mark.parametrize("model", sorted({row.gpu_name for row in GPU_TYPES} - {"rtx-pro-4500"}))
@pytest.mark.parametrize("family", AMI_FAMILIES.values(), ids=AMI_FAMILIES)
def test_every_accepted_combination_agrees_with_itself(model: str, family: AmiFamily) -> None:
    alike = {(row.is_fractional, row.gpu_devices): row for row in GPU_TYPES if row.gpu_name == model}
    profiles = []
    for row in alike.values():
        for sharing in map(SHARING.validate_python, ways(row)):
            if not list(find_refusals(row.gpu, family, sharing, fractional=row.is_fractional)):
                found = derive_profile("main", row.gpu, family, sharing)
                names_agree(found)
                settings_agree(found, row, family)
                overlay_agrees(found, row)
                profiles.append(found)
    assert len(profiles) >= 3


def names_agree(found: SharingProfile) -> None:
    resources = list(found.per_device)
    assert all(count >= 1 for count in found.per_device.values())
    assert found.taint == (
        no_schedule(resources[0]) if len(resources) == 1 else {**no_schedule("gpu-blueprint/pool"), "value": "main"}
    )
    assert list(found.units.values()) == resources
    assert all(re.fullmatch(LABEL_VALUE, value) for value in found.node_labels.values())
    assert found.summary


def settings_agree(found: SharingProfile, row: Instance, family: AmiFamily) -> None:
    assert {found.node_labels[key] for key in (PLUGIN,) if key in found.node_labels} == set(found.plugin_configs)
    assert {found.node_labels[key] for key in (MIG,) if key in found.node_labels} == set(found.mig_configs)
    assert found.has_operands_off == (family is BOTTLEROCKET)
    if family is BOTTLEROCKET:
        assert not found.plugin_configs and not found.mig_configs
        assert set(found.per_device) <= {"nvidia.com/gpu", "nvidia.com/gpu.shared"}
        return
    assert not found.bottlerocket
    units = {"nvidia.com/gpu": 1}
    for (config,) in found.mig_configs.values():
        assert row.gpu.mig
        assert can_place(row.gpu.mig, config["mig-devices"])
        units = {row.gpu.mig.profiles[name].resource: count for name, count in config["mig-devices"].items()}
    for file in found.plugin_configs.values():
        ((mode, strategy),) = file["sharing"].items()
        assert ("flags" in file) == (mode != "mps")
        units = {f"{row_['name']}.shared": units[row_["name"]] * row_["replicas"] for row_ in strategy["resources"]}
    assert found.per_device == units


def overlay_agrees(found: SharingProfile, row: Instance) -> None:
    overlaid = {"nvidia.com/gpu": row.gpu_count} | found.list_overlay(row)
    assert {name: count for name, count in overlaid.items() if count} == found.count_per_node(row)
    assert found.count_per_node(row) == found.count_at_max_gpus(row.gpu_devices)


def test_another_layout_is_another_label_and_the_order_does_not_matter() -> None:
    swapped = {"mode": "mig", "layout": {"1g.10gb": 4, "3g.40gb": 1}}
    other = {"mode": "mig", "layout": {"3g.40gb": 1, "1g.10gb": 3}}
    keys = [profile("h100-80gb", AL2023, cut, pool="slices").node_labels[MIG] for cut in (MIXED, swapped, other)]
    assert keys[0] == keys[1] != keys[2]
