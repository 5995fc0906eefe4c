"""Each request goes to the lab's own handler of its action, or to moto."""

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from threading import RLock
from typing import Any
from urllib.parse import parse_qsl

from .calls import Call, Reply, show_params
from .faults import Faults
from .wire import Answer, AwsError, Params, answer_ec2, answer_json, read_query, render_error

LOG = logging.getLogger(__name__)
READING = ("Describe", "Get", "List", "Receive", "BatchGet", "GET ", "HEAD ")
"""Beginnings of actions that change nothing."""
ERROR_CODE = re.compile(r"<Code>([^<]+)</Code>|\"__type\": ?\"([^\"]+)\"")
UNKNOWN_ACTION = ("InvalidAction", "UnknownOperationException")
Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Wsgi = Callable[[Environ, StartResponse], Iterable[bytes]]
Handler = Callable[[Params], Mapping[str, Any] | Reply | None]
"""Returns the body of the answer, a Reply, or None if moto shall answer; raises AwsError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One call of AWS's API."""

    service: str
    action: str
    """Action of a query or JSON service; method and path of another service, such as ``GET /clusters/gpu``."""
    params: Params
    speaks_json: bool

    @property
    def is_dry_run(self) -> bool:
        """True if the caller only asks for permission."""
        return bool(self.params.get("DryRun") == "true")

    @property
    def is_change(self) -> bool:
        """True if the call changes something in the account."""
        return not self.action.startswith(READING) and not self.is_dry_run


def read_request(environ: Environ, body: bytes) -> Request:
    """Return the call in an HTTP request."""
    scope = re.search(r"Credential=[^/]+/\d+/[^/]+/([^/]+)/", environ.get("HTTP_AUTHORIZATION", ""))
    service = scope[1] if scope else ""
    if target := environ.get("HTTP_X_AMZ_TARGET", ""):
        params = json.loads(body or b"{}")
        return Request(service=service, action=target.rsplit(".", 1)[-1], params=params, speaks_json=True)
    if environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded"):
        params = read_query(body.decode())
        params.pop("Version", None)
        action = params.pop("Action", "")
        return Request(service=service, action=action, params=params, speaks_json=False)
    params = dict(parse_qsl(environ.get("QUERY_STRING", "")))
    if environ.get("CONTENT_TYPE", "").startswith("application/json") and body:
        params |= json.loads(body)
    action = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
    return Request(service=service, action=action, params=params, speaks_json=True)


class Dispatch:
    """A WSGI application: handlers by (service, action), and moto for every other call.

    Every change is recorded, and every call that nobody could answer.
    """

    def __init__(
        self, handlers: Mapping[tuple[str, str], Handler], faults: Faults, calls: list[Call], moto: Wsgi
    ) -> None:
        self._handlers, self._faults, self._calls, self._moto = handlers, faults, calls, moto
        self._lock = RLock()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        request = read_request(environ, body)
        answer = self._answer(request)
        if answer is None:
            environ["wsgi.input"] = BytesIO(body)
            return self._ask_moto(request, environ, start_response)
        text = answer.body.encode()
        headers = [("Content-Type", answer.content_type), ("Content-Length", str(len(text)))]
        start_response(f"{answer.status} Lab", [*headers, ("x-amzn-RequestId", "lab")])
        return [text]

    def _answer(self, request: Request) -> Answer | None:
        """Return the lab's own answer, or None if moto shall answer."""
        try:
            self._refuse_as_told(request)
            handler = self._handlers.get((request.service, request.action))
            if handler is None:
                return None
            with self._lock:
                reply = handler(request.params)
        except AwsError as error:
            if not request.is_dry_run:
                self._record(request, error=str(error))
            return render_error(request.service, error, speaks_json=request.speaks_json)
        if reply is None:
            return None
        body, result = (reply.body, reply.result) if isinstance(reply, Reply) else (reply, reply)
        self._record(request, result=result)
        return answer_json(body) if request.speaks_json else answer_ec2(request.action, body)

    def _refuse_as_told(self, request: Request) -> None:
        """Raise the error that the faults name for this action, and end a dry run."""
        if code := self._faults.errors.get(request.action):
            raise AwsError(code, f"the lab refuses {request.action}")
        if request.is_dry_run:
            raise AwsError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")

    def _record(self, request: Request, *, result: Mapping[str, Any] | None = None, error: str = "") -> None:
        if request.is_change:
            params = show_params(request.params)
            call = Call(service=request.service, action=request.action, params=params, result=result or {}, error=error)
            self._calls.append(call)

    def _ask_moto(self, request: Request, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        statuses: list[str] = []

        def note_status(status: str, headers: Any, exc_info: Any = None) -> Any:
            statuses.append(status)
            return start_response(status, headers, exc_info)

        try:
            text = b"".join(self._moto(environ, note_status))
        except Exception as error:
            LOG.exception("moto broke off in %s %s", request.service, request.action)
            self._note_unanswered(request, f"{type(error).__name__}: {error}")
            unknown = AwsError("InvalidAction", f"neither the lab nor moto answers {request.service} {request.action}")
            answer = render_error(request.service, unknown, speaks_json=request.speaks_json)
            start_response(f"{answer.status} Lab", [("Content-Type", answer.content_type)])
            return [answer.body.encode()]
        self._judge_moto(request, int(statuses[-1].split()[0]), text.decode(errors="replace"))
        return [text]

    def _judge_moto(self, request: Request, status: int, text: str) -> None:
        """Record an answer of moto: a change, or an action that moto does not know."""
        found = ERROR_CODE.search(text)
        code = (found[1] or found[2]) if found else ""
        is_unknown = code in UNKNOWN_ACTION or (status in (404, 405) and not code) or status >= 500
        if is_unknown:
            self._note_unanswered(request, f"{status} {code}: {text[:200]}")
        elif status >= 400:
            self._record(request, error=f"{code}: {text[:200]}")
        else:
            self._record(request, result={"by": "moto"})

    def _note_unanswered(self, request: Request, error: str) -> None:
        LOG.warning("nobody in the lab answers %s %s: %s", request.service, request.action, error)
        params = show_params(request.params)
        self._calls.append(Call(service=request.service, action=request.action, params=params, error=error))
