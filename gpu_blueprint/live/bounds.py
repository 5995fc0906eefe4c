"""Bounds for one whole answer: a server that sends a byte now and then never meets the timeout of its socket."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

_Result = TypeVar("_Result")


class TooLargeError(Exception):
    """An answer is larger than any right answer."""


def call_within(
    seconds: float, call: Callable[[], _Result], discard: Callable[[_Result], object] = lambda _: None
) -> _Result:
    """Return the result of a call, or raise its exception, if it ends in time.

    The call runs in a thread of its own, because name servers, TLS, headers and bodies have no common timeout. A late
    call keeps its thread until the server ends or the program does; its result goes to ``discard``.

    Raises:
        TimeoutError: The call has not ended after so many seconds.
    """
    if seconds <= 0:
        raise TimeoutError
    future: Future[_Result] = Future()
    Thread(target=_run, args=(future, call), daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        future.add_done_callback(lambda late: late.exception(0) or discard(late.result(0)))
        raise


def _run(future: Future[_Result], call: Callable[[], _Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001  the caller gets it
        future.set_exception(error)


def read_at_most(most: int, chunks: Iterable[bytes]) -> bytes:
    """Join the chunks of a body.

    Raises:
        TooLargeError: The body has more bytes than ``most``.
    """
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > most:
            raise TooLargeError
    return bytes(body)
