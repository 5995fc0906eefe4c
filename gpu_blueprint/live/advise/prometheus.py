"""Ask a Prometheus: instant queries, and nothing else. No other path of it is ever called."""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase, HTTPBasicAuth
from urllib3.util import Retry

from ...errors import MetricsError, UsageError

QUERY_PATH = "/api/v1/query"
_CONNECT, _READ = 5, 120
"""Seconds; Prometheus itself gives a query up after two minutes (`--query.timeout`)."""
_BUSY = (429, 502, 504)
"""Answers of gateways that are worth another try; 503 is Prometheus's own for a query that it gave up."""
_SAY_WHO = "say who you are with --token-file FILE, PROMETHEUS_TOKEN, or PROMETHEUS_USERNAME with PROMETHEUS_PASSWORD"
_TOO_MUCH = (422, 503)
"""With which Prometheus answers queries that take too long or load too much."""
_MOST = 1e18
"""More than any count, sum or number of bytes that is asked for."""
_AMP = re.compile(r"aps-workspaces(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com|api\.aws)")
FORWARD = "kubectl port-forward -n monitoring svc/prometheus-operated 9090, or to the Service of your own"


@dataclass(frozen=True, slots=True)
class Sample:
    """One series of an answer."""

    labels: Mapping[str, str]
    value: float


class Prometheus:
    """One server, by the address under which its web page is reached.

    Raises:
        UsageError: The address is none.
    """

    def __init__(self, url: str, auth: AuthBase | None = None) -> None:
        self.url = _address(url, secret=auth is not None)
        self.warnings: dict[str, None] = {}
        """What it said against its own answers, each once, in order."""
        self._remedy = getattr(auth, "REMEDY", _SAY_WHO)
        self._session = requests.Session()
        self._session.auth = auth or _nobody
        retry = Retry(
            total=3,
            connect=1,
            read=0,
            backoff_factor=0.5,
            status_forcelist=_BUSY,
            allowed_methods=None,
            raise_on_status=False,
        )
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))

    def query(self, expr: str) -> list[Sample]:
        """Ask for the value of an expression now; samples that are no number are left out.

        Raises:
            MetricsError: No answer, or a refusal.
        """
        try:
            answer = self._session.post(
                self.url + QUERY_PATH, data={"query": expr}, timeout=(_CONNECT, _READ), allow_redirects=False
            )
        except requests.exceptions.SSLError as error:
            raise MetricsError(f"{self.url}: its certificate is not trusted: {_cause(error)}; REQUESTS_CA_BUNDLE names the CA") from None  # fmt: skip
        except requests.exceptions.Timeout:
            raise MetricsError(f"{self.url}: no answer in time; look at a shorter window with --days") from None
        except requests.exceptions.RequestException as error:
            text = f"cannot be reached: {_cause(error)}. One in the cluster: {FORWARD}, then --prometheus http://localhost:9090"
            raise MetricsError(f"{self.url}: {text}") from None
        return list(_samples(self._result(answer)))

    def _result(self, answer: requests.Response) -> Any:
        if answer.status_code in (401, 403):
            text = "it wants to know who asks" if answer.status_code == 401 else "whoever asks may not"
            raise MetricsError(f"{self.url}: {text} ({answer.status_code}); {self._remedy}")
        if answer.is_redirect:
            to = urlsplit(answer.headers.get("Location", "elsewhere"))._replace(query="", fragment="").geturl()
            raise MetricsError(f"{self.url}: sends on to {to}, which is not followed; a page to sign in, or another address of it?")  # fmt: skip
        try:
            document = answer.json()
            status = document["status"]
        except (ValueError, KeyError, TypeError):
            what = f"{answer.status_code} {answer.reason}, {answer.headers.get('Content-Type', 'no type')}"
            raise MetricsError(f"{self.url}{QUERY_PATH}: is no Prometheus: it answered {what}") from None
        if status != "success":
            remedy = "; --days asks for a shorter window" if answer.status_code in _TOO_MUCH else ""
            raise MetricsError(f"{self.url}: refused a query: {document.get('error', status)}{remedy}")
        self.warnings |= dict.fromkeys(map(str, document.get("warnings") or ()))
        return document


def _samples(document: Any) -> Iterator[Sample]:
    try:
        for one in document["data"]["result"]:
            value, labels = float(one["value"][1]), dict(one["metric"])
            if not all(isinstance(text, str) for text in labels.values()):
                raise TypeError
            if isfinite(value):
                if not 0 <= value < _MOST:  # all that is asked for is a count, a share or a sum of such
                    raise MetricsError(f"what answered is no Prometheus of the platform: {value:g} for {labels}")
                yield Sample(labels, value)
    except (KeyError, TypeError, ValueError, IndexError):
        raise MetricsError("what answered is no Prometheus: its answer has no samples") from None


def _address(url: str, *, secret: bool) -> str:
    """The address without a slash at its end."""
    example = "write it as http://localhost:9090"
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"--prometheus {url!r}: is no address: {error}; {example}") from None
    if parts.username is not None or parts.password is not None:
        raise UsageError("--prometheus: a password in an address is seen by others; use PROMETHEUS_USERNAME and PROMETHEUS_PASSWORD")  # fmt: skip
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"--prometheus {url!r}: is no address of http:// or https://; {example}")
    if parts.query or parts.fragment:
        raise UsageError(f"--prometheus {url!r}: leave out what follows the path; {example}")
    if secret and parts.scheme == "http" and not _is_here(host):
        raise UsageError(f"--prometheus {url!r}: who you are would travel unencrypted; use https:// or a port-forward to localhost")  # fmt: skip
    return url.strip().rstrip("/").removesuffix(QUERY_PATH)


def amp_region(url: str) -> str | None:
    """Where the workspace of Amazon Managed Service for Prometheus of this address is; none where it is no workspace's."""
    try:
        found = _AMP.fullmatch(urlsplit(url.strip()).hostname or "")
    except ValueError:  # the address is refused where it is used
        return None
    return found[1] if found else None


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _cause(error: Exception) -> str:
    """The innermost of nested errors, which is the one that says something."""
    seen: BaseException = error
    while nested := getattr(seen, "reason", None) or (seen.args[0] if seen.args else None):
        if not isinstance(nested, BaseException):
            break
        seen = nested
    return str(seen).split(": ", 1)[-1]


def _nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Ask as nobody: without it, requests would look for passwords in ~/.netrc."""
    return request


class Bearer(AuthBase):
    """A token of whoever asks."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Add it to a request."""
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class Basic(HTTPBasicAuth):
    """A name and a password of whoever asks."""
