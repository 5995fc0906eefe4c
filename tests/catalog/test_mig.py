"""The MIG tables agree with NVIDIA's documents, which are copied here by hand."""

import re

import pytest

from gpu_blueprint.catalog import GPUS, Gpu

# Profile → most on one GPU. Sources: NVIDIA/gpu-operator v26.7.0 assets/state-mig-manager/0400_configmap.yaml and the
# MIG user guide's table of each GPU, read 2026-11-20.
MOST = {
    "a100-40gb": "1g.5gb 7, 1g.5gb+me 1, 1g.10gb 4, 2g.10gb 3, 3g.20gb 2, 4g.20gb 1, 7g.40gb 1",
    "a100-80gb": "1g.10gb 7, 1g.10gb+me 1, 1g.20gb 4, 2g.20gb 3, 3g.40gb 2, 4g.40gb 1, 7g.80gb 1",
    "h100-80gb": "1g.10gb 7, 1g.10gb+me 1, 1g.20gb 4, 2g.20gb 3, 3g.40gb 2, 4g.40gb 1, 7g.80gb 1",
    "h200-141gb": "1g.18gb 7, 1g.18gb+me 1, 1g.35gb 4, 2g.35gb 3, 3g.71gb 2, 4g.71gb 1, 7g.141gb 1",
    "b200-180gb": "1g.23gb 7, 1g.23gb+me 1, 1g.45gb 4, 2g.45gb 3, 3g.90gb 2, 4g.90gb 1, 7g.180gb 1",
    "b300": "1g.34gb 7, 1g.34gb+me 1, 1g.67gb 4, 2g.67gb 3, 3g.135gb 2, 4g.135gb 1, 7g.269gb 1",
    "gb200": "1g.23gb 7, 1g.23gb+me 1, 1g.47gb 4, 2g.47gb 3, 3g.93gb 2, 4g.93gb 1, 7g.186gb 1",
    "gb300": "1g.35gb 7, 1g.35gb+me 1, 1g.70gb 4, 2g.70gb 3, 3g.139gb 2, 4g.139gb 1, 7g.278gb 1",
    "rtx-pro-6000-96gb": "1g.24gb 4, 1g.24gb+me 1, 1g.24gb+gfx 4, 1g.24gb+me.all 1, 1g.24gb-me 4, 2g.48gb 2, "
    "2g.48gb+gfx 2, 2g.48gb+me.all 1, 2g.48gb-me 2, 4g.96gb 1, 4g.96gb+gfx 1",
}
WITHOUT_MIG = {"v100", "t4", "t4g", "a10g", "l4", "l40s", "rtx-pro-4500"}

each_gpu = pytest.mark.parametrize("model", GPUS.values(), ids=lambda model: model.name)


@each_gpu
def test_a_gpu_divides_as_nvidia_says(model: Gpu) -> None:
    if model.mig is None:
        assert model.name in WITHOUT_MIG
        return
    facts = {name: int(most) for name, most in (fact.split() for fact in MOST[model.name].split(", "))}
    assert {row.name: model.mig.count_most(row) for row in model.mig.rows} == facts


@each_gpu
def test_a_profile_lies_inside_the_gpu_and_is_named_after_its_size(model: Gpu) -> None:
    for row in model.mig.rows if model.mig else ():
        assert row.name.startswith(f"{row.compute_slices}g.{row.memory_gb}gb")
        assert row.starts == tuple(sorted(set(row.starts)))
        assert row.starts[0] == 0
        assert row.starts[-1] + row.memory_slices <= (model.mig.memory_slices if model.mig else 0)


@each_gpu
def test_profiles_are_advertised_under_names_that_kubernetes_takes(model: Gpu) -> None:
    resources = [row.resource for row in model.mig.rows] if model.mig else []
    assert len(set(resources)) == len(resources)
    assert all(re.fullmatch(r"nvidia\.com/mig-[a-z0-9]([a-z0-9.-]*[a-z0-9])?", name) for name in resources)
