"""Fetching from a server on this machine: what is right is kept, what is wrong leaves and overwrites nothing."""

import hashlib
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from attention_book.data import fetching
from attention_book.data.fetching import CorpusError, RemoteFile, data_folder, fetch_file, read_checked

CONTENT = b"a line\n" * 50_000


def remote(address, content=CONTENT):
    return RemoteFile("lines.txt", address, hashlib.sha256(content).hexdigest(), len(content))


@pytest.fixture
def server():
    """A web server; the path asked for says what goes wrong."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/absent":
                self.send_error(404)
                return
            bodies = {"/wrong": b"b" * len(CONTENT), "/short": CONTENT[:1000], "/endless": CONTENT * 9}
            body = bodies.get(self.path, CONTENT)
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT) if self.path == "/short" else len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                assert self.path == "/endless"  # only there does the reader stop before the end

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The user's cache folder, somewhere else, and no folder given."""
    monkeypatch.delenv(fetching.VARIABLE, raising=False)
    monkeypatch.setattr(fetching, "user_cache_path", lambda name: tmp_path / name)
    return data_folder()


@pytest.fixture
def given_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(fetching.VARIABLE, str(tmp_path / "given"))
    return tmp_path / "given"


def test_a_missing_file_is_fetched_into_the_cache_and_then_read_from_it(server, cache):
    assert read_checked(remote(f"{server}/good")) == CONTENT
    assert os.listdir(cache) == ["lines.txt"]
    assert read_checked(remote("http://127.0.0.1:1/nobody")) == CONTENT


def test_a_given_folder_is_read_and_never_filled_unasked(server, given_folder):
    with pytest.raises(CorpusError, match="is not there"):
        read_checked(remote(f"{server}/good"))
    assert not given_folder.exists()
    assert fetch_file(remote(f"{server}/good")) == given_folder / "lines.txt"
    assert read_checked(remote(f"{server}/good")) == CONTENT


def test_the_home_sign_in_the_variable_is_understood(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(fetching.VARIABLE, "~/corpora")
    assert data_folder() == tmp_path / "corpora"


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/nobody", "https://host.invalid/lines.txt"])
def test_without_a_network_the_error_says_all_that_is_needed(cache, address):
    with pytest.raises(CorpusError) as caught:
        read_checked(remote(address))
    for needed in ("lines.txt", address, "ATTENTION_BOOK_DATA", "python -m attention_book fetch"):
        assert needed in str(caught.value)
    assert not cache.exists()


def test_a_file_missing_from_the_given_folder_says_all_that_is_needed(given_folder):
    with pytest.raises(CorpusError) as caught:
        read_checked(remote("http://host.invalid/lines.txt"))
    path = str(given_folder / "lines.txt")
    for needed in (path, "https://host.invalid/lines.txt", "ATTENTION_BOOK_DATA", "python -m attention_book fetch"):
        assert needed in str(caught.value)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("absent", "404"),
        ("wrong", "SHA-256"),
        ("short", "1000 bytes of 350000, cut short"),
        ("endless", "announces 3150000 bytes"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_what_goes_wrong_on_the_way_leaves_nothing_and_overwrites_nothing(server, given_folder, path, reason, force):
    if force:
        given_folder.mkdir()
        (given_folder / "lines.txt").write_bytes(CONTENT)
    with pytest.raises(CorpusError, match=reason) as caught:
        fetch_file(remote(f"{server}/{path}"), force)
    assert f"{server}/{path}" in str(caught.value)
    if force:
        assert os.listdir(given_folder) == ["lines.txt"]
        assert (given_folder / "lines.txt").read_bytes() == CONTENT
    else:
        assert not given_folder.exists()


def test_a_file_with_other_content_is_refused_and_kept_unless_forced(server, given_folder):
    given_folder.mkdir()
    path = given_folder / "lines.txt"
    path.write_bytes(CONTENT[:99])
    for use in (read_checked, fetch_file):
        with pytest.raises(CorpusError, match="99 bytes of 350000, cut short") as caught:
            use(remote(f"{server}/good"))
        assert str(path) in str(caught.value)
        assert path.read_bytes() == CONTENT[:99]
    fetch_file(remote(f"{server}/good"), force=True)
    assert path.read_bytes() == CONTENT


def test_a_whole_file_is_not_fetched_again(given_folder):
    given_folder.mkdir()
    (given_folder / "lines.txt").write_bytes(CONTENT)
    assert fetch_file(remote("http://host.invalid/lines.txt")) == given_folder / "lines.txt"


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(server, given_folder, monkeypatch, fault):
    given_folder.mkdir()
    (given_folder / "lines.txt").write_bytes(b"old")

    def fail(*_):
        raise fault

    monkeypatch.setattr(fetching.os, "replace", fail)
    with pytest.raises(CorpusError if isinstance(fault, OSError) else KeyboardInterrupt) as caught:
        fetch_file(remote(f"{server}/good"), force=True)
    if isinstance(fault, OSError):
        assert "No space left on device" in str(caught.value)
    assert os.listdir(given_folder) == ["lines.txt"]
    assert (given_folder / "lines.txt").read_bytes() == b"old"


def test_a_longer_file_is_refused_by_its_length_and_not_read_whole(given_folder):
    given_folder.mkdir()
    with (given_folder / "lines.txt").open("wb") as file:
        file.truncate(1 << 34)  # 16 GB of nothing, which take no room on the disk
    with pytest.raises(CorpusError, match="more than the 350000 bytes expected"):
        read_checked(remote("https://host.invalid/lines.txt"))


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_ordinary_file_is_refused_at_once(given_folder, kind):
    given_folder.mkdir()
    if kind == "pipe":
        os.mkfifo(given_folder / "lines.txt")
    else:
        (given_folder / "lines.txt").symlink_to("/dev/zero")
    with pytest.raises(CorpusError, match=r"lines\.txt cannot be read: it is not an ordinary file"):
        read_checked(remote("https://host.invalid/lines.txt"))


def test_a_folder_in_the_place_of_the_file_is_an_error_that_names_it(given_folder):
    (given_folder / "lines.txt").mkdir(parents=True)
    with pytest.raises(CorpusError, match=r"lines\.txt cannot be read: Is a directory"):
        read_checked(remote("http://host.invalid/lines.txt"))
