"""Objects of every kind that the Resource Groups Tagging API lists.

It knows all services but omits IAM roles. EC2's own objects come from ec2.py, which asks EC2.
Source: «Services that support the Resource Groups Tagging API», read 2026-11-22.
"""

from collections.abc import Iterator
from functools import partial

from ...config import StackConfig
from ..preflight import Account, Finding, UnansweredError
from ..preflight.answers import CHECK_ENDPOINT, read_part
from . import ec2
from .confirm import confirm
from .kinds import name_kind
from .marks import BLUEPRINT, Mark, list_marks
from .resource import Arn, Resource
from .survey import Survey, write_finding

CHECK = "tags"
_WORLDWIDE = ("bcm-data-exports", "budgets", "ce")
"""Services whose ARNs may name the region of the world although they serve every region."""
_PARTS = ("ec2:fleet", "elasticloadbalancing:listener")
"""Kinds that end with another object, cost nothing, and stay listed for hours."""


def list_surveys(stack: StackConfig) -> Iterator[Survey]:
    """Yield a survey for the objects of each maker in the region of the stack."""
    for mark in list_marks(stack):
        yield Survey(CHECK, f"everything of the {mark.maker}", partial(_find, stack, mark))


def list_worldwide_surveys(stack: StackConfig) -> Iterator[Survey]:
    """Yield the survey of services without regions, to be asked in the region that answers for them."""
    for mark in list_marks(stack):
        if mark.maker == BLUEPRINT and stack.region != stack.partition.world:
            yield Survey(CHECK, "everything without a region", partial(_find, stack, mark, worldwide=True))


def _find(stack: StackConfig, mark: Mark, account: Account, *, worldwide: bool = False) -> Iterator[Resource | Finding]:
    """Yield the objects that exist; also an object about which its service does not answer, and why it does not."""
    for listed in _list_tagged(mark, account):
        if worldwide and listed.arn.region and listed.arn.service not in _WORLDWIDE:
            continue
        try:
            found = confirm(stack, listed, account)
        except UnansweredError as error:
            yield write_finding(CHECK, name_kind(listed.arn), error)
            found = listed
        if found:
            yield found


def _list_tagged(mark: Mark, account: Account) -> Iterator[Resource]:
    filters = [{"Key": key, "Values": [value]} for key, value in mark.tags.items()]
    answer = account.ask("resourcegroupstaggingapi", "GetResources", TagFilters=filters)
    for row in read_part(answer, "ResourceTagMappingList"):
        try:
            arn = Arn.parse(row["ResourceARN"])
        except (KeyError, ValueError):
            reason = "the answer to GetResources holds an object without an ARN"
            raise UnansweredError("answer-not-from-aws", reason, CHECK_ENDPOINT) from None
        is_surveyed = arn.service == "ec2" and arn.type in ec2.TYPES
        if not is_surveyed and not arn.kind.startswith(_PARTS):
            yield Resource(arn=arn, tags={tag["Key"]: tag["Value"] for tag in row.get("Tags", [])})
