"""Downloading: the bytes at a public address, within limits of size and of time, whatever the server does.

Every address is asked over HTTPS, also one that was written down as ``http://``; this machine's own servers are the
exception. A server may send on a few times, and never from HTTPS to less. Two limits of time hold beside each other:
one for each read, and one for the whole, so that a server which sends a byte now and then ends as one does that sends
none. The second covers all but the look-up of the host's name, which takes as long as the system lets it.
"""

import http.client
import io
import time
from collections.abc import Callable
from functools import partial
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

_READ_S = 30
_WHOLE_S = 600
_CHUNK_BYTES = 1 << 16
_MOST_REDIRECTIONS = 5
_REDIRECTIONS = {301, 302, 303, 307, 308}
_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}
_MOST_CHARACTERS = 300  # of what a server says


class DownloadError(OSError):
    """A download failed; the message says why in a line that holds no control characters."""


def secured(address: str) -> str:
    """An address as it is asked: over HTTPS, unless it is this machine's own."""
    parts = urlsplit(address)
    if parts.scheme == "http" and parts.hostname not in _THIS_MACHINE:
        return parts._replace(scheme="https").geturl()
    return address


def download(address: str, size: int, progress: Callable[[int], object] = lambda n: None) -> bytes:
    """The bytes at an address.

    Args:
        address: where they are, with ``http://`` or ``https://`` in front.
        size: how many are expected. No more than one beyond that is read, so that the caller sees that there are more.
        progress: called with the number of bytes, whenever some have come.

    Returns:
        What came; fewer bytes than expected if the server closed the connection early.

    Raises:
        DownloadError: if there is no answer in time, an answer that is an error, or one of another length.
    """
    content = bytearray()
    deadline = time.monotonic() + _WHOLE_S
    try:
        with _answer(secured(address), deadline) as answer:
            announced = answer.headers.get("Content-Length", "")
            if announced.isascii() and announced.isdecimal() and int(announced[:20]) > size:
                raise DownloadError(f"the server announces {announced} bytes, where {size} are expected")
            while len(content) <= size and (chunk := answer.read1(min(_CHUNK_BYTES, size + 1 - len(content)))):
                content += chunk
                progress(len(chunk))
    except (OSError, http.client.HTTPException, ValueError) as error:  # URLError and timeouts are OSErrors
        came = f", after {len(content)} of {size} bytes" if content else ""
        raise DownloadError(f"{_printable(_reason(error))}{came}") from error
    return bytes(content)


def _answer(address: str, deadline: float) -> http.client.HTTPResponse:
    """The answer with the bytes, after some redirections, none of which leads to another scheme or away from HTTPS."""
    if urlsplit(address).scheme not in {"http", "https"}:
        raise DownloadError(f"{address} is no https:// address")
    opener = _opener(deadline)
    for _ in range(_MOST_REDIRECTIONS + 1):
        try:
            return opener.open(Request(address), timeout=min(_READ_S, _left(deadline)))
        except HTTPError as error:
            error.close()
            target = error.headers.get("Location")
            if error.code not in _REDIRECTIONS or target is None:
                raise
            target = urljoin(address, target)
        if urlsplit(target).scheme not in {"https", urlsplit(address).scheme}:
            raise DownloadError(f"the server sends on to {target}, which is not HTTPS")
        address = target
    raise DownloadError(f"the server sends on more than {_MOST_REDIRECTIONS} times")


def _opener(deadline: float) -> OpenerDirector:
    """What opens http:// and https:// addresses, through a proxy if the environment names one, and nothing else."""
    opener = OpenerDirector()
    kinds = (ProxyHandler, HTTPDefaultErrorHandler, HTTPErrorProcessor)
    for handler in (*(kind() for kind in kinds), _PlainHandler(deadline), _SecureHandler(deadline)):
        opener.add_handler(handler)
    return opener


class _WithDeadline:
    def __init__(self, deadline: float):
        super().__init__()
        self.deadline = deadline


class _PlainHandler(_WithDeadline, HTTPHandler):
    def http_open(self, request: Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_connection, http.client.HTTPConnection, self.deadline), request)


class _SecureHandler(_WithDeadline, HTTPSHandler):
    def https_open(self, request: Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_connection, http.client.HTTPSConnection, self.deadline), request)


def _connection(kind: type, deadline: float, host: str, **settings) -> http.client.HTTPConnection:
    """A connection whose answers end at the deadline; certificates are verified, as is the default."""
    made = kind(host, **settings)
    made.response_class = partial(_Response, deadline)
    return made


class _Response(http.client.HTTPResponse):
    """An answer that is read until a deadline and no longer, from its first line on."""

    def __init__(self, deadline: float, sock, *arguments, **settings):
        super().__init__(sock, *arguments, **settings)
        self.fp = io.BufferedReader(_UntilDeadline(self.fp.detach(), sock, deadline))


class _UntilDeadline(io.RawIOBase):
    """Reads a socket, each time for as long as both limits of time allow."""

    def __init__(self, raw: io.RawIOBase, sock, deadline: float):
        super().__init__()
        self.raw, self.sock, self.deadline = raw, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int | None:
        self.sock.settimeout(min(_READ_S, _left(self.deadline)))
        try:
            return self.raw.readinto(buffer)
        except TimeoutError:
            _left(self.deadline)  # which says so if it was the deadline that passed
            raise TimeoutError(f"nothing came for {_READ_S} s") from None

    def close(self) -> None:
        self.raw.close()
        super().close()


def _left(deadline: float) -> float:
    """Seconds until the deadline.

    Raises:
        TimeoutError: if it has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError(f"it was not whole after {_WHOLE_S} s")
    return left


def _reason(error: Exception) -> str:
    """What went wrong, without urllib's wrapping."""
    if isinstance(error, URLError) and not isinstance(error, HTTPError):
        return str(error.reason)
    return str(error) or type(error).__name__


def _printable(text: str) -> str:
    """A line that may be shown on a terminal: a server has a say in it."""
    text = text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
