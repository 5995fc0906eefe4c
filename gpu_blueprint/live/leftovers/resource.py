"""One object of an AWS account, identified by its ARN."""

import re
from collections.abc import Mapping
from datetime import datetime

from ...cost.money import Usd
from ...records import Record

_ONE_KIND = ("s3", "sns", "sqs")
"""Services whose ARNs name no kind, because they have only one."""
REPOSITORY = "ecr:repository"
"""Kind of the repositories of images."""


class Arn(Record, order=True):
    """An ARN in its parts: ``arn:aws:eks:us-east-1:111122223333:cluster/gpu-prod``."""

    text: str
    service: str
    region: str
    """Empty for the objects of a service that has no regions, such as IAM."""
    account: str
    type: str
    """The kind, such as ``cluster`` or ``loadbalancer/net``; empty where the service has only one kind."""
    name: str
    """The rest: an id, a name, or a path such as ``gpu-prod/system/8e3c…`` of a node group."""

    @classmethod
    def parse(cls, text: str) -> "Arn":
        """Read an ARN.

        Raises:
            ValueError: The text is no ARN.
        """
        _, _, service, region, account, rest = text.removesuffix(":*").split(":", 5)
        if service in _ONE_KIND:
            return cls(text, service, region, account, "", rest)
        type_, _, name = re.sub("[:/]", "\0", rest, count=1).partition("\0")
        if service == "elasticloadbalancing" and name.startswith(("app/", "net/", "gwy/")):
            type_, name = f"{type_}/{name[:3]}", name[4:]
        return cls(text.removesuffix(":*"), service, region, account, type_, name)

    @property
    def kind(self) -> str:
        """Service and kind, such as ``ec2:instance``."""
        return f"{self.service}:{self.type}" if self.type else self.service


class Resource(Record, kw_only=True):
    """An object that exists in the account."""

    arn: Arn
    tags: Mapping[str, str]
    made: datetime | None = None
    """Time of its creation, where AWS tells."""
    detail: str = ""
    """A fact that helps to recognize it, such as the type of an instance."""
    instance: str = ""
    """Id of the EC2 instance that it is attached to."""
    month: Usd | None = None
    """US dollars a month if it stays; None where no price by the hour or the month applies."""
