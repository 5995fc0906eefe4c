"""The account as boto3 reaches it: retries with a limit, and every way of not getting an answer in one line."""

import os
import re
from dataclasses import dataclass
from threading import Lock
from typing import Any

import boto3
import botocore.session
from botocore import exceptions as raised
from botocore import xform_name
from botocore.config import Config
from botocore.parsers import ResponseParserError

from ...catalog.aws_errors import BUSY, DENIED, LOCKED_OUT
from ...errors import UsageError, near
from .answers import RefusedError, Status, UnansweredError
from .permissions import action

READS = ("Describe", "Get", "List")
"""How every operation begins that only reads."""

_UNSIGNED = (
    raised.NoCredentialsError, raised.PartialCredentialsError, raised.CredentialRetrievalError, raised.SSOError,
    raised.TokenRetrievalError, raised.LoginError, raised.NoAuthTokenError, raised.InvalidConfigError,
)  # fmt: skip
_NO_LINE = (raised.ConnectionError, raised.HTTPClientError)
_LOG_IN = "log in anew (`aws sso login`, or whatever gives your shell its credentials) and run it again"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for one call, and how often to try it."""

    connect_seconds: float = 5
    read_seconds: float = 10
    attempts: int = 4


class AwsAccount:
    """One account in one region; safe to ask from several threads."""

    def __init__(self, session: Any, region: str, patience: Patience | None = None) -> None:
        self._session, self._region, self._patience = session, region, patience or Patience()
        self._clients: dict[str, Any] = {}
        self._making = Lock()

    def ask(self, service: str, operation: str, **parameters: Any) -> Any:
        """Make one call that reads, and return all of its pages in one."""
        if not operation.startswith(READS):
            raise ValueError(f"{operation} could write; preflight only reads")
        try:
            return self._answer(self._client(service), xform_name(operation), parameters)
        except raised.ClientError as error:
            raise self._refusal(error, action(service, operation)) from None
        except _UNSIGNED as error:
            raise UnansweredError(Status.LOCKED_OUT, _line(error), _LOG_IN) from None
        except (raised.ConnectTimeoutError, raised.ReadTimeoutError):
            text = f"{service} did not answer {operation} in {self._patience.attempts} tries"
            raise UnansweredError(
                Status.UNANSWERED, text, "look at the network, VPN and proxy, and run it again"
            ) from None
        except _NO_LINE as error:
            remedy = f"look at the network, VPN and proxy, AWS_ENDPOINT_URL, and whether {self._region} has {service}"
            raise UnansweredError(Status.UNANSWERED, f"cannot be reached: {_line(error)}", remedy) from None
        except ResponseParserError:
            text = f"what answered {operation} is not {service}"
            raise UnansweredError(Status.UNANSWERED, text, "look at the proxy and at AWS_ENDPOINT_URL") from None

    def _answer(self, client: Any, method: str, parameters: dict[str, Any]) -> Any:
        if client.can_paginate(method):
            return client.get_paginator(method).paginate(**parameters).build_full_result()
        return getattr(client, method)(**parameters)

    def _client(self, service: str) -> Any:
        with self._making:  # sessions, unlike clients, are not safe to share
            if service not in self._clients:
                patience = self._patience
                config = Config(
                    connect_timeout=patience.connect_seconds,
                    read_timeout=patience.read_seconds,
                    retries={"mode": "standard", "total_max_attempts": patience.attempts},
                    user_agent_appid="gpu-blueprint-preflight",
                )
                try:
                    self._clients[service] = self._session.client(service, region_name=self._region, config=config)
                except ValueError as error:  # an endpoint that is no address
                    raise UnansweredError(Status.UNANSWERED, _line(error), "look at AWS_ENDPOINT_URL") from None
            return self._clients[service]

    def _refusal(self, error: Any, wanted: str) -> UnansweredError:
        """Tell apart what is not allowed, not signed, too much, and what only the check can judge."""
        code, message = str(error.response["Error"].get("Code", "an error")), _line(error)
        if code in DENIED:
            said = re.search(r"not authorized to perform: ([\w-]+:\w+)", message)
            missing = said[1] if said else wanted
            remedy = f"grant {missing}; `blueprint preflight --policy` prints all that is needed"
            return UnansweredError(Status.DENIED, f"{missing} is missing", remedy)
        if code in LOCKED_OUT:
            remedy = f"{_LOG_IN}; if they are fresh, see whether {self._region} is enabled in the account"
            return UnansweredError(Status.LOCKED_OUT, f"AWS does not take the credentials ({code})", remedy)
        if code in BUSY:
            text = f"AWS throttles {wanted} ({code}), {self._patience.attempts} times in a row"
            return UnansweredError(Status.UNANSWERED, text, "run it again in a minute")
        if code.isdigit():  # no error of AWS's own, such as the page of a proxy
            text = f"{wanted} was answered with HTTP {code} and no reason"
            return UnansweredError(Status.UNANSWERED, text, "look at the proxy and AWS_ENDPOINT_URL, and run it again")
        return RefusedError(code, " ".join(str(error.response["Error"].get("Message", "")).split()))


def sign_in(region: str, profile: str | None = None) -> boto3.Session:
    """Find the credentials that the environment, or a profile, has.

    Raises:
        UsageError: there is no such profile, or there are no credentials.
    """
    try:
        session = boto3.Session(profile_name=profile, region_name=region)
        found = session.get_credentials()
    except raised.ProfileNotFound:
        name = profile or os.environ.get("AWS_PROFILE") or os.environ.get("AWS_DEFAULT_PROFILE", "")
        known = botocore.session.Session(profile="default").available_profiles
        raise UsageError(f"there is no AWS profile {name!r} {near(name, known, 'there are')}") from None
    except (raised.ConfigParseError, raised.ConfigNotFound) as error:
        raise UsageError(f"the AWS configuration cannot be read: {_line(error)}") from None
    except _UNSIGNED as error:
        raise UsageError(f"no AWS credentials: {_line(error)}; {_LOG_IN}") from None
    if found is None:
        raise UsageError(
            "no AWS credentials: log in (`aws sso login`, `aws configure`), or name a profile (AWS_PROFILE)"
        )
    return session


def _line(error: Exception) -> str:
    """An error as one line of decent length."""
    return " ".join(str(error).split())[:240]
