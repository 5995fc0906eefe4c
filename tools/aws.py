"""Reading AWS's APIs: one way to connect, one way to ask, and an error that says what to do about it."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from gpu_blueprint.catalog.aws_errors import BUSY, DENIED, LOCKED_OUT
from gpu_blueprint.errors import RefreshError, UsageError

Answer = Mapping[str, Any]

PRICE_LIST_REGION = "us-east-1"
"""The Price List answers for every commercial region, but only from three of them."""
_ATTEMPTS = 5


class _Paginator(Protocol):
    def paginate(self, **parameters: Any) -> Iterator[Answer]: ...


class Client(Protocol):
    """What the tools use of a boto3 client."""

    def get_paginator(self, operation: str) -> _Paginator:
        """Return what reads all pages of an operation."""


class Connect(Protocol):
    """Make a client of a service in a region."""

    def __call__(self, service: str, region: str) -> Client: ...


def connection(profile: str | None) -> Connect:
    """Sign in with a profile of ``~/.aws``, or with what the environment holds."""
    boto3, errors = _boto3("boto3"), _boto3("botocore.exceptions")
    config = _boto3("botocore.config").Config(retries={"mode": "standard", "total_max_attempts": _ATTEMPTS})
    try:
        session = boto3.Session(profile_name=profile)
    except errors.ProfileNotFound as error:
        raise UsageError(f"{error}: name one of those in ~/.aws/config") from error

    @cache
    def connect(service: str, region: str) -> Client:
        try:
            client: Client = session.client(service, region_name=region, config=config)
        except ValueError as error:  # an endpoint that is no address
            raise UsageError(f"{error}: look at AWS_ENDPOINT_URL") from error
        return client

    return connect


def ask(connect: Connect, service: str, region: str, operation: str, **parameters: object) -> Iterator[Answer]:
    """Yield every page of one read-only operation (``describe_instance_types``) in one region."""
    errors = _boto3("botocore.exceptions")
    action = f"{service}:{operation.title().replace('_', '')}"
    try:
        yield from connect(service, region).get_paginator(operation).paginate(**parameters)
    except errors.ClientError as error:
        raise RefreshError(f"{action} in {region}: {error}: {_remedy(error.response['Error'], action)}") from error
    except errors.NoCredentialsError as error:
        raise RefreshError(f"{action} in {region}: {error}: {_SIGN_IN}") from error
    except errors.BotoCoreError as error:
        raise RefreshError(f"{action} in {region}: {error}: look at the region's name and at the network") from error


_SIGN_IN = "sign in (aws sso login), or name a --profile that can"


def _remedy(error: Answer, action: str) -> str:
    code = error.get("Code", "")
    if code in DENIED:
        return f"allow the IAM action {action} on * to whoever runs this"
    if code in BUSY:
        return f"{_ATTEMPTS} attempts were throttled, so wait a minute and run this again"
    if code in LOCKED_OUT:
        return f"{_SIGN_IN}; a region that must be enabled first also answers so"
    return "nothing was written, so run this again once that is mended"


def _boto3(name: str) -> ModuleType:
    """Import a module of boto3, which only the live commands need."""
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(
            "boto3 is not installed: run .venv/bin/python -m pip install -r requirements-live.txt"
        ) from None
