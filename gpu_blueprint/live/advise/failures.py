"""The words for a server that did not answer, from the errors of requests and of the libraries below it."""

import ssl
from http.client import IncompleteRead

from requests.exceptions import ChunkedEncodingError, ContentDecodingError

_LONGEST_TEXT = 500
_DEPTH = 20
"""More levels than any error has."""
FORWARD = "kubectl port-forward -n monitoring svc/prometheus-operated 9090, or the Service of your own Prometheus"
_NOT_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNEXPECTED_MESSAGE", "UNKNOWN_PROTOCOL")
"""Reasons of OpenSSL where a server answers without TLS, in its releases."""
_VALIDITY, _NAME = (9, 10), (62, 64)
"""Codes of OpenSSL's verification: not yet valid and expired; another host and another address."""


def describe_failure(error: Exception) -> str:
    """Return reason and remedy of a request without an answer."""
    cause = find_cause(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {cause.verify_message}; {_choose_remedy(cause.verify_code)}"
    if isinstance(cause, ssl.SSLError):
        if cause.reason in _NOT_TLS:
            return "it does not speak TLS; is it an address with http://?"
        return f"no TLS connection: {_describe(cause)}"
    if isinstance(error, ChunkedEncodingError | ContentDecodingError):
        return f"its answer broke off: {_describe(cause)}; ask again"
    local = f"For a Prometheus in the cluster: {FORWARD}, then --prometheus http://localhost:9090"
    return f"cannot be reached: {_describe(cause)}. {local}"


def _choose_remedy(code: int) -> str:
    if code in _VALIDITY:
        return "renew it, or set the clock of this machine"
    return "name the host as the certificate does" if code in _NAME else "name the CA in REQUESTS_CA_BUNDLE"


def find_cause(error: BaseException) -> BaseException:
    """Return the innermost error, which tells the most."""
    for _ in range(_DEPTH):
        inside = [*error.args, error.__cause__]
        nested = next((found for found in inside if isinstance(found, BaseException)), None)
        if nested is None:
            return error
        error = nested
    return error


def _describe(cause: BaseException) -> str:
    """Return the words of one error, without the names of Python's classes and the form of their arguments."""
    if isinstance(cause, IncompleteRead):
        return "bytes are missing at its end"
    if isinstance(cause, ssl.SSLError) and cause.reason:
        return cause.reason.lower().replace("_", " ")
    return shorten(next((text for text in cause.args if isinstance(text, str)), "no reason is known"))


def shorten(text: object) -> str:
    """Return a text of the server in a length that fits a message."""
    whole = str(text)
    return whole if len(whole) <= _LONGEST_TEXT else f"{whole[:_LONGEST_TEXT]}…"
