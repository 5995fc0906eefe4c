"""moto, which answers every call that the lab does not answer itself."""

import re
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

from gpu_blueprint.records import Record

from .request import Environ

ERROR_CODE = re.compile(r"<Code>([^<]+)</Code>|\"__type\": ?\"([^\"]+)\"")
UNKNOWN_ACTION = ("InvalidAction", "UnknownOperationException")
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class MotoAnswer(Record, kw_only=True):
    """An HTTP answer of moto."""

    status: str
    """Status line, such as ``200 OK``."""
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def code(self) -> int:
        """HTTP status."""
        return int(self.status.split()[0])

    @property
    def error(self) -> str:
        """AWS's error code; empty if there is none."""
        found = ERROR_CODE.search(self.body.decode(errors="replace")) if self.code >= 400 else None
        return (found[1] or found[2]) if found else ""

    @property
    def is_unknown(self) -> bool:
        """True if moto does not know the action, or failed while it answered."""
        return self.error in UNKNOWN_ACTION or self.code >= 500 or (self.code in (404, 405) and not self.error)


def ask_moto(moto: Wsgi, environ: Environ, body: bytes, extra: Mapping[str, str]) -> MotoAnswer:
    """Forward a request to moto.

    Args:
        moto: moto's application.
        environ: The request, without its body.
        body: The body of the request.
        extra: Parameters to add to the body, if the request is a query.

    Raises:
        NotImplementedError: moto does not know the action.
    """
    sent = body + (f"&{urlencode(extra)}".encode() if extra else b"")
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
        started.append((status, headers))

    given = {**environ, "wsgi.input": BytesIO(sent), "CONTENT_LENGTH": str(len(sent))}
    text = b"".join(moto(given, start_response))
    status, headers = started[-1]
    return MotoAnswer(status=status, headers=headers, body=text)
