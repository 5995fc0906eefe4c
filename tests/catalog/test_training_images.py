"""Images of training frameworks."""

from gpu_blueprint.catalog.training_images import EFA_SUPPORT
from gpu_blueprint.subjects.images.allowed import name_fully


def test_each_repository_is_named_as_images_are_looked_up() -> None:
    assert [name for name in EFA_SUPPORT if name_fully(f"{name}:1") != name] == []


def test_people_can_be_told_of_an_image_with_efa() -> None:
    assert "present" in EFA_SUPPORT.values()
