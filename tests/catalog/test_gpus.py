"""The rows of the GPU table keep the rules that hold for every GPU."""

import re

import pytest

from gpu_blueprint.catalog import GPUS, CatalogError, Gpu, find_gpu, list_instances

GPU_TYPES = [row for row in list_instances().values() if row.gpu_name]

each_gpu = pytest.mark.parametrize("model", GPUS.values(), ids=lambda model: model.name)


@each_gpu
def test_exactly_the_gpus_that_karpenter_launches_have_instance_types(model: Gpu) -> None:
    assert bool(model.karpenter_name) == any(row.gpu is model for row in GPU_TYPES)


def test_only_the_two_a100_models_share_a_karpenter_name() -> None:
    known = [model.karpenter_name for model in GPUS.values() if model.karpenter_name]
    assert {name for name in known if known.count(name) > 1} == {"a100"}
    assert {model.name for model in GPUS.values() if model.karpenter_name == "a100"} == {"a100-40gb", "a100-80gb"}


def test_only_ampere_reboots_for_mig() -> None:
    assert {model.name for model in GPUS.values() if model.mig_needs_reboot} == {"a100-40gb", "a100-80gb"}


@each_gpu
def test_a_bottlerocket_key_has_the_form_that_bottlerocket_takes(model: Gpu) -> None:
    """Source: Bottlerocket settings reference 1.54.x, settings.kubelet-device-plugins.nvidia.mig.profile."""
    if model.bottlerocket_mig_key is not None:
        assert model.mig
        assert re.fullmatch(r"[a-z]\d+\.\d+gb", model.bottlerocket_mig_key)
        assert model.bottlerocket_mig_key == model.name.replace("-", ".")


def test_an_unknown_gpu_model_is_answered_with_the_closest_names() -> None:
    with pytest.raises(CatalogError, match=r"unknown GPU model 'h100-90gb'; did you mean h100-80gb") as caught:
        find_gpu("h100-90gb")
    assert caught.value.kind == "unknown-gpu-model"
