"""AWS identities of tenants: service accounts whose pods may act as an IAM role of their own."""

from typing import Annotated

from pydantic import Field

from ..model import Model
from .scalars import Name
from .shapes import Shape

PolicyArn = Annotated[
    str,
    Shape(
        r"arn:aws:iam::(aws|\d{12}):policy/[\w+=,.@/-]+",
        "not-a-policy-arn",
        "the ARN of an IAM policy",
        "write arn:aws:iam::<account>:policy/<name>",
        longest=2048,
        in_editor=False,
    ),
]


class Identity(Model):
    """A service account of a tenant, with one IAM role that holds all of its grants (EKS Pod Identity)."""

    service_account: Name
    """Name of the service account. The platform makes it, and tenants cannot change it."""
    policies: list[PolicyArn] = Field([], max_length=10)
    """IAM policies of the account, or of AWS."""
