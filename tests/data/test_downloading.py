"""Downloading from hostile servers on this machine: every one ends in time, in little memory and in one clean line."""

import socket
import threading
import time
import tracemalloc
from contextlib import contextmanager, suppress

import pytest
from typer.testing import CliRunner

from attention_book.__main__ import app
from attention_book.data import corpora, downloading, fetching
from attention_book.data.downloading import DownloadError, download, secured

CONTENT = bytes(range(256)) * 1000
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 256000\r\n\r\n" + CONTENT
OPEN_END = b"HTTP/1.1 200 OK\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@contextmanager
def serving(behave):
    """A server that hands each connection and the path that was asked for to `behave`; its address, and the paths."""
    listener, asked, stop = socket.create_server(("127.0.0.1", 0)), [], threading.Event()

    def answer(connection):
        with connection, suppress(OSError):  # a client that has seen enough closes the connection
            connection.settimeout(5)
            asked.append((connection.recv(65536).split() + [b""] * 2)[1].decode("latin-1"))
            behave(connection, asked[-1], stop)

    def accept():
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


def sends(content):
    return lambda connection, path, stop: connection.sendall(content)


def drips(first, drop):
    """Sends a beginning, and then a few bytes now and then, each time well within the limit of a read."""

    def behave(connection, path, stop):
        connection.sendall(first)
        while not stop.wait(0.02):
            connection.sendall(drop)

    return behave


def floods(first, wave):
    """Sends a beginning, and then as much as is taken."""

    def behave(connection, path, stop):
        connection.sendall(first)
        while not stop.is_set():
            connection.sendall(wave)

    return behave


def redirects(target, code=302):
    return sends(f"HTTP/1.1 {code} Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode("latin-1"))


def refused(behave):
    with serving(behave) as (address, _), pytest.raises(DownloadError) as caught:
        download(f"{address}/file", len(CONTENT))
    message = str(caught.value)
    assert message.isprintable() and len(message) < 400
    return message


@pytest.fixture
def short(monkeypatch):
    """Limits that a test can wait for: half a second for a read, and for the whole."""
    monkeypatch.setattr(downloading, "_READ_S", 0.5)
    monkeypatch.setattr(downloading, "_WHOLE_S", 0.5)


@pytest.mark.parametrize(
    "answer",
    [WHOLE, OPEN_END + CONTENT, CHUNKED + b"3e800\r\n" + CONTENT + b"\r\n0\r\n\r\n"],
    ids=["length", "open end", "chunked"],
)
def test_a_good_server_is_read_whole_and_progress_is_told(answer):
    told = []
    with serving(sends(answer)) as (address, _):
        assert download(f"{address}/file", len(CONTENT), told.append) == CONTENT
    assert sum(told) == len(CONTENT)


def test_addresses_are_asked_over_https_except_this_machines_own():
    assert secured("http://host.example:8080/a?b=c") == "https://host.example:8080/a?b=c"
    for address in ("https://host.example/a", "http://127.0.0.1:9/a", "http://localhost/a", "http://[::1]:9/a"):
        assert secured(address) == address


def test_each_file_of_the_corpora_is_asked_for_over_https(monkeypatch):
    asked = []

    def no_network(host, port, *_, **__):
        asked.append((host, port))
        raise OSError("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    files = [file for recipe in corpora._RECIPES.values() for file in recipe.files]
    for file in files:
        with pytest.raises(DownloadError):
            download(file.address, file.size)
    assert len(asked) == len(files) and {port for _, port in asked} == {443}


@pytest.mark.parametrize(
    ("behave", "came"),
    [
        (drips(OPEN_END, b"x"), True),
        (drips(WHOLE[:50_000], b"x"), True),
        (drips(CHUNKED, b"1\r\nx\r\n"), True),
        (drips(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"y"), False),
        (drips(b"", b"H"), False),
        (drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), False),
        (drips(CHUNKED + b"1\r\nx\r\n0\r\n", b"X: y\r\n"), True),
    ],
    ids=["body", "half of it", "chunks", "header", "first line", "continue", "trailers"],
)
def test_a_server_that_drips_ends_with_the_whole_downloads_time(short, behave, came):
    start = time.monotonic()
    message = refused(behave)
    assert 0.4 < time.monotonic() - start < 2
    assert "it was not whole after 0.5 s" in message
    assert (f"of {len(CONTENT)} bytes" in message) == came


def test_a_server_that_falls_silent_ends_with_the_time_of_a_read(short, monkeypatch):
    monkeypatch.setattr(downloading, "_WHOLE_S", 60)
    message = refused(lambda connection, path, stop: (connection.sendall(WHOLE[:10_000]), stop.wait(5)))
    assert message.startswith("nothing came for 0.5 s, after 9")


@pytest.mark.parametrize(
    "behave",
    [
        floods(OPEN_END, bytes(1 << 20)),
        floods(b"HTTP/1.1 200 OK\r\nContent-Length: 256000\r\n\r\n", bytes(1 << 20)),
        floods(CHUNKED, b"100000\r\n" + bytes(1 << 20) + b"\r\n"),
        floods(b"HTTP/1.1 404 No\r\n\r\n", bytes(1 << 20)),
        floods(b"HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\n\r\n", bytes(1 << 20)),
        floods(b"", bytes(1 << 20)),
        floods(b"HTTP/1.1 200 OK\r\nX: ", b"y" * (1 << 20)),
        floods(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 10_000),
    ],
    ids=["no length", "a lying length", "chunks", "error page", "redirection", "no line", "one header", "headers"],
)
def test_a_server_that_never_ends_is_read_to_the_size_expected_and_no_further(behave):
    tracemalloc.start()
    try:
        with serving(behave) as (address, _):
            try:
                assert len(download(f"{address}/file", len(CONTENT))) <= len(CONTENT) + 1
            except DownloadError as error:
                assert str(error).isprintable()
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_an_answer_that_announces_too_much_is_not_read():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\n"
    assert "announces 99999999999999999999999999 bytes, where 256000 are expected" in refused(floods(head, b"x" * 9999))


def test_an_answer_that_ends_early_is_handed_over_as_it_is():
    with serving(sends(WHOLE[:1043])) as (address, _):
        assert download(f"{address}/file", len(CONTENT)) == CONTENT[:1000]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 404 \x1b[31mNo\x1b]0;title\x07 such\x9b2J\r\n\r\n",
        b"HTTP/1.1 500 " + b"\x1b[2J" * 2000 + b"\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: ftp://x/\x1b[31m\xe2\x80\xae\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\x1b[31m\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://[::1/\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\x1bport/\r\n\r\n",
        b"HTTP/1.1 302 \x1b[31mFound\r\n\r\n",
        b"\x1b[31mno HTTP at all\r\n\r\n",
        b"HTTP/1.1 9\x1b9 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\x1b[31m\r\n",
    ],
)
def test_no_control_character_of_a_server_is_passed_on(answer):
    refused(sends(answer))


def test_the_command_says_it_in_one_clean_line_and_exits_with_2(monkeypatch, tmp_path):
    monkeypatch.setenv(fetching.VARIABLE, str(tmp_path))
    with serving(sends(b"HTTP/1.1 404 \x1b[31mNo\x07\r\n\r\n")) as (address, _):
        file = fetching.RemoteFile("spa-eng.zip", f"{address}/spa-eng.zip", "0" * 64, 10)
        recipe = corpora._RECIPES["tatoeba-en-es"]
        monkeypatch.setitem(corpora._RECIPES, "tatoeba-en-es", corpora._Recipe((file,), recipe.read, "en", "es", 1, 1))
        result = CliRunner().invoke(app, ["fetch", "tatoeba-en-es"])
    assert (result.exit_code, result.stdout) == (2, "")
    said = result.stderr.strip()
    assert said.isprintable() and "HTTP Error 404" in said and "spa-eng.zip" in said and fetching.VARIABLE in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirection_is_followed(code):
    def behave(connection, path, stop):
        (sends(WHOLE) if path == "/there" else redirects("/there", code))(connection, path, stop)

    with serving(behave) as (address, asked):
        assert download(f"{address}/here", len(CONTENT)) == CONTENT
    assert asked == ["/here", "/there"]


def test_redirections_are_followed_a_few_times_only():
    told = pytest.raises(DownloadError, match="sends on more than 5 times")
    with serving(redirects("/again")) as (address, asked), told:
        download(f"{address}/file", len(CONTENT))
    assert len(asked) == 6


@pytest.mark.parametrize(
    "target", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x", "gopher://x/", "FILE:/etc/x"]
)
def test_a_redirection_to_another_scheme_is_refused(target):
    assert "which is not HTTPS" in refused(redirects(target))


def test_a_redirection_from_https_to_http_is_refused(monkeypatch):
    """Over a connection that only claims to be one over TLS: a certificate for this machine is not at hand."""
    monkeypatch.setattr(downloading.http.client, "HTTPSConnection", downloading.http.client.HTTPConnection)
    told = pytest.raises(DownloadError, match=r"sends on to http://127\.0\.0\.1:1/file, which is not HTTPS")
    with serving(redirects("http://127.0.0.1:1/file")) as (address, asked), told:
        download(address.replace("http:", "https:"), len(CONTENT))
    assert len(asked) == 1


def test_a_server_without_tls_is_not_talked_to_in_the_clear():
    with serving(sends(WHOLE)) as (address, asked), pytest.raises(DownloadError):
        download(f"{address.replace('http:', 'https:')}/secret", len(CONTENT))
    assert asked != ["/secret"]


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://127.0.0.1/x", "/etc/hostname"])
def test_other_addresses_are_refused(address):
    with pytest.raises(DownloadError, match="is no https:// address"):
        download(address, 10)
