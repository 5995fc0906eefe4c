"""Amazon Managed Service for Prometheus: it answers requests that are signed with AWS's credentials, and no others."""

from typing import Any

import requests
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, ClientError
from requests.auth import AuthBase

from ...errors import UsageError


class Signed(AuthBase):
    """AWS's credentials of whoever asks.

    Raises:
        UsageError: They have to be fetched first, and cannot be.
    """

    REMEDY = "grant aps:QueryMetrics on the workspace to whom `aws sts get-caller-identity` names"

    def __init__(self, credentials: Any, region: str) -> None:
        try:
            self._signer = SigV4Auth(credentials.get_frozen_credentials(), "aps", region)
        except (BotoCoreError, ClientError) as error:
            raise UsageError(f"no AWS credentials: {error}; log in anew, such as with `aws sso login`") from None

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Sign a request: method, address, type and body."""
        headers = {"Content-Type": request.headers["Content-Type"]}
        signed = AWSRequest(method=request.method, url=request.url, data=request.body, headers=headers)
        self._signer.add_auth(signed)
        request.headers.update(signed.headers.items())
        return request
