"""Do the pinned node images exist for the cluster's Kubernetes minor?"""

from collections.abc import Iterator
from functools import partial

from ...catalog import AL2023, instance
from ...catalog.image_parameters import image_parameter
from ...config import StackConfig
from .answers import Account, Finding, Question, Status, part

_MOST = 10
"""Names that ssm:GetParameters takes at once."""


def questions(stack: StackConfig) -> Iterator[Question]:
    """Ask for every image in as few calls as can be."""
    wanted = sorted(_wanted(stack).items())
    for start in range(0, len(wanted), _MOST):
        batch = dict(wanted[start : start + _MOST])
        yield Question(check="node images", subject=", ".join(batch.values()), ask=partial(_images, stack, batch))


def _wanted(stack: StackConfig) -> dict[str, str]:
    """Parameter → what it is for."""
    minor, wanted = stack.cluster.kubernetes_version, dict[str, str]()
    # A managed node group's release 1.36.4-20260923 is the image v20260923.
    managed = f"v{stack.cluster.release.system_node_release.rsplit('-', 1)[1]}"
    arch = instance(stack.cluster.system_nodes.instance_types[0]).arch
    wanted[image_parameter(AL2023, managed, minor, arch, "standard")] = f"al2023@{managed} {arch}, system nodes"
    for pool in stack.pools:
        version = managed if pool.static_nodes else pool.ami.pinned
        for arch in sorted({row.arch for row in stack.instances_of(pool)}):
            path = image_parameter(pool.ami.row, version, minor, arch, "nvidia")
            wanted.setdefault(path, f"{pool.ami.family}@{version} {arch}, NVIDIA")
    return wanted


def _images(stack: StackConfig, wanted: dict[str, str], account: Account) -> list[Finding]:
    answer = account.ask("ssm", "GetParameters", Names=list(wanted))
    found = {one["Name"]: one["Value"] for one in part(answer, "Parameters")}
    return [_finding(stack, name, subject, found.get(name)) for name, subject in wanted.items()]


def _finding(stack: StackConfig, name: str, subject: str, image: str | None) -> Finding:
    if image:
        return Finding(check="node images", subject=subject, status=Status.PASS, message=image)
    folder = name.rsplit("/", 2)[0]
    return Finding(
        check="node images",
        subject=subject,
        status=Status.FAIL,
        message=f"no such image for Kubernetes {stack.cluster.kubernetes_version} in {stack.region}: no node would start",
        remedy=f"pin a release of this list: aws ssm get-parameters-by-path --recursive --path {folder} --region {stack.region} "
        "--query 'Parameters[].Name'",
    )
