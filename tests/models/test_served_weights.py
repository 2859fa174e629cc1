"""Weights fetched when they are first asked for: the right ones, once, or a clear refusal that loses nothing."""

import hashlib
import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from attention_book.models import served_weights
from attention_book.models.served_weights import WeightsError, served_file

CONTENT = bytes(range(256)) * 40


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        self.server.asked.append(self.path)


@pytest.fixture
def site(tmp_path):
    """A folder that a server of this machine serves, with the weights of one translator; and what was asked of it."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "xx-yy.safetensors").write_bytes(CONTENT)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, server
        server.shutdown()


@pytest.fixture
def package(tmp_path, site, monkeypatch):
    """The folder of the translators of a package whose weights are elsewhere."""
    monkeypatch.setenv(served_weights.VARIABLE, str(tmp_path / "kept"))
    folder = tmp_path / "pretrained"
    (folder / "xx-yy").mkdir(parents=True)
    (folder / "xx-yy" / "model.safetensors").write_text("elsewhere")
    wanted = {"name": "model.safetensors", "file": "xx-yy.safetensors", "size": len(CONTENT)}
    wanted["sha256"] = hashlib.sha256(CONTENT).hexdigest()
    address = f"http://127.0.0.1:{site[1].server_port}/"
    (folder / "served.json").write_text(json.dumps({"address": address, "files": {"xx-yy": wanted}}))
    return folder


def test_a_package_with_its_weights_reads_them_where_they_are(tmp_path):
    path = tmp_path / "xx-yy" / "model.safetensors"
    assert served_file(path, tmp_path) == path


def test_they_are_fetched_once(package, site):
    path = package / "xx-yy" / "model.safetensors"
    assert [served_file(path, package).read_bytes() for _ in range(2)] == [CONTENT, CONTENT]
    assert len(site[1].asked) == 1
    assert path.read_text() == "elsewhere"


def test_nothing_is_fetched_for_another_folder_or_another_file(package, site, tmp_path):
    others = [
        package / "xx-yy" / "config.json",
        package / "zz" / "model.safetensors",
        tmp_path / "a/b/model.safetensors",
    ]
    assert [served_file(path, package) for path in others] == others
    assert site[1].asked == []


def test_a_shared_vocabulary_is_read_where_it_is_kept(package, site, tmp_path):
    served = package / "served.json"
    listed = json.loads(served.read_text()) | {"same": {"xx-yy/tokenizer.json": "aa/tokenizer.json"}}
    served.write_text(json.dumps(listed))
    assert served_file(package / "xx-yy" / "tokenizer.json", package) == package / "aa" / "tokenizer.json"
    others = [package / "zz" / "tokenizer.json", tmp_path / "a/xx-yy/tokenizer.json"]
    assert [served_file(path, package) for path in others] == others
    assert site[1].asked == []
    assert served_file(package / "xx-yy" / "model.safetensors", package).read_bytes() == CONTENT


def test_without_a_list_every_vocabulary_is_its_own(package):
    path = package / "xx-yy" / "tokenizer.json"
    assert served_file(path, package) == path  # the list of an older wheel has no shared files
    (package / "served.json").unlink()
    assert served_file(path, package) == path


def test_what_is_kept_and_damaged_is_fetched_again(package, site):
    path = package / "xx-yy" / "model.safetensors"
    kept = served_file(path, package)
    kept.write_bytes(CONTENT[:-1] + b"!")
    assert served_file(path, package).read_bytes() == CONTENT and len(site[1].asked) == 2


def refusal(path, package):
    """What is said against a file of weights; nothing if it is taken."""
    try:
        served_file(path, package)
    except WeightsError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "sent",
    [CONTENT[:-1] + b"!", CONTENT[:-5], CONTENT + b"more", b""],
    ids=["another byte", "cut", "longer", "nothing"],
)
def test_what_is_not_the_file_is_refused_and_loses_nothing(package, site, tmp_path, sent):
    (site[0] / "xx-yy.safetensors").write_bytes(sent)
    told = refusal(package / "xx-yy" / "model.safetensors", package)
    assert "weights of 'xx-yy'" in told and "put the file xx-yy.safetensors" in told
    assert not list((tmp_path / "kept").rglob("*"))
    (site[0] / "xx-yy.safetensors").write_bytes(CONTENT)
    assert served_file(package / "xx-yy" / "model.safetensors", package).read_bytes() == CONTENT


def test_without_a_network_it_says_what_to_do_and_a_file_put_there_by_hand_is_taken(package, site, tmp_path):
    site[1].shutdown()
    site[1].server_close()
    path = package / "xx-yy" / "model.safetensors"
    with pytest.raises(WeightsError, match=r"could not be fetched from http://127\.0\.0\.1.*ATTENTION_BOOK_WEIGHTS"):
        served_file(path, package)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "xx-yy.safetensors").write_bytes(CONTENT)
    assert served_file(path, package).read_bytes() == CONTENT


def test_a_package_that_does_not_know_where_says_so(package):
    said = json.loads((package / "served.json").read_text())
    (package / "served.json").write_text(json.dumps({**said, "address": ""}))
    with pytest.raises(WeightsError, match="does not say where they are: put the file"):
        served_file(package / "xx-yy" / "model.safetensors", package)


def test_a_folder_that_cannot_be_written_is_told(package, tmp_path):
    (tmp_path / "kept").write_text("a file has its name")
    with pytest.raises(WeightsError, match=r"could not be written.*ATTENTION_BOOK_WEIGHTS"):
        served_file(package / "xx-yy" / "model.safetensors", package)
