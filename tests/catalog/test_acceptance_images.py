"""The images of the acceptance are pinned, and agree with the rest of the catalogue."""

from gpu_blueprint.catalog import find_instance
from gpu_blueprint.catalog.acceptance_images import ALL_REDUCE_CAPABILITY, ALL_REDUCE_IMAGE, find_diagnosis_image
from gpu_blueprint.catalog.nccl_marks import list_nccl_marks
from gpu_blueprint.catalog.training_images import EFA_SUPPORT


def test_the_all_reduce_runs_in_an_image_with_efa_of_one_release() -> None:
    name, _, tag = ALL_REDUCE_IMAGE.partition(":")
    assert EFA_SUPPORT[name] == "present"
    assert tag.endswith("-ec2-v1.11")


def test_every_type_with_a_mark_has_gpus_that_the_image_has_kernels_for() -> None:
    for mark in list_nccl_marks():
        assert find_instance(mark.instance_type).gpu.compute_capability >= ALL_REDUCE_CAPABILITY


def test_the_diagnosis_is_that_of_the_gpu_operator() -> None:
    assert find_diagnosis_image().startswith("nvcr.io/nvidia/cloud-native/dcgm:4.")
