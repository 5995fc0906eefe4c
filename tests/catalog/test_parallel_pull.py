"""The numbers of parallel pull suit the size of a node and its disk."""

import pytest

from gpu_blueprint.catalog.parallel_pull import choose_parallel_pull


@pytest.mark.parametrize(
    ("vcpu", "has_nvme", "downloads", "unpacks"),
    [
        (2, True, 10, 2),
        (4, True, 10, 2),
        (8, True, 10, 4),
        (8, False, 10, 4),
        (16, True, 20, 8),
        (16, False, 10, 6),
        (192, True, 20, 12),
        (192, False, 10, 6),
    ],
)
def test_a_node_pulls_as_much_at_once_as_its_cpus_and_its_disk_take(
    vcpu: int, has_nvme: bool, downloads: int, unpacks: int
) -> None:
    found = choose_parallel_pull(vcpu, has_nvme=has_nvme)
    assert (found.downloads, found.unpacks, found.part) == (downloads, unpacks, "16mb")
