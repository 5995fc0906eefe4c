"""IAM's objects, found by their names: IAM has no regions, its listings carry no tags, and the tagging API omits roles.

The names of all of them begin with the name of the cluster. Names of roles and policies end with the region, except in
platforms that version 0.1 made.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from ...catalog import list_regions
from ...config import StackConfig
from ...records import Record
from ..preflight import Account, RefusedError
from ..preflight.answers import read_part
from .marks import is_marked, read_tags
from .resource import Arn, Resource
from .survey import Survey

CHECK = "IAM"
_REGION_TAG = "topology.kubernetes.io/region"
"""Karpenter's tag on its instance profiles, which belong to one region although IAM has none."""


class IamType(Record):
    """Names in IAM's API for one type of object."""

    listing: str
    """Operation that lists all objects, without tags."""
    listed: str
    name: str
    reading: str
    """Operation that reads one object with its tags."""
    read: str
    key: str
    """Parameter of ``reading``; also a field of a listed object."""
    parameters: Mapping[str, str]


TYPES = (
    IamType("ListRoles", "Roles", "RoleName", "GetRole", "Role", "RoleName", {}),
    IamType("ListPolicies", "Policies", "PolicyName", "GetPolicy", "Policy", "Arn", {"Scope": "Local"}),
    IamType(
        "ListInstanceProfiles",
        "InstanceProfiles",
        "InstanceProfileName",
        "GetInstanceProfile",
        "InstanceProfile",
        "InstanceProfileName",
        {},
    ),
)


def list_surveys(stack: StackConfig) -> Iterator[Survey]:
    """Yield a survey for each type."""
    for type_ in TYPES:
        yield Survey(CHECK, type_.listed, partial(_find, stack, type_))


def _find(stack: StackConfig, type_: IamType, account: Account) -> Iterator[Resource]:
    for listed in read_part(account.ask("iam", type_.listing, **type_.parameters), type_.listed):
        if _may_be_ours(stack, listed[type_.name]):
            found = _read(type_, listed[type_.key], account)
            if found and is_marked(stack, found.tags) and found.tags.get(_REGION_TAG, stack.region) == stack.region:
                yield found


def _may_be_ours(stack: StackConfig, name: str) -> bool:
    """Return whether a name begins with the cluster's, and does not end with another region."""
    others = tuple(f"-{region}" for region in list_regions() if region != stack.region)
    return name.startswith((f"{stack.cluster_name}-", f"{stack.cluster_name}_")) and not name.endswith(others)


def _read(type_: IamType, key: str, account: Account) -> Resource | None:
    """Return an object with its tags, or None if it was deleted since it was listed."""
    parameter = "PolicyArn" if type_.key == "Arn" else type_.key
    try:
        described = read_part(account.ask("iam", type_.reading, **{parameter: key}), type_.read)
    except RefusedError as refusal:
        if refusal.code == "NoSuchEntity":
            return None
        raise
    return Resource(arn=Arn.parse(described["Arn"]), tags=read_tags(described), made=described.get("CreateDate"))
