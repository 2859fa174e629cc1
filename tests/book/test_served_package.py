"""The package as the published book serves it: small, installed by a notebook, its weights fetched at need."""

import base64
import csv
import hashlib
import io
import json
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import quote

import nbformat
import pytest
import yaml
from editions.served_wheel import FOLDER, address_of_wheel, make_wheel, split_wheel, wheel_name
from fresh_environment import BOOK, FreshEnvironment
from notebook_cells import setup_cell
from served_package import add_buttons, source_of_package

ASKED = """\
from attention_book.translation.translator import Translator

for name in ("en-es", "en-es-taught"):  # which share a vocabulary
    assert Translator.from_pretrained(name).translate("I like cats.", 1) == "Me gustan los gatos."\
"""


def a_wheel(path):
    """A wheel as pip makes it, of a package with two translators."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("one", "two"):
            archive.writestr(f"attention_book/pretrained/{name}/model.safetensors", name * 1000)
            archive.writestr(f"attention_book/pretrained/{name}/config.json", "{}")
        archive.writestr("attention_book/__init__.py", "")
        archive.writestr("attention_book-9.dist-info/RECORD", "what was recorded\n")
    return path


def test_a_wheel_is_split_and_its_list_is_of_what_is_in_it(tmp_path):
    wheel, *weights = split_wheel(a_wheel(tmp_path / "a.whl"), tmp_path / "out", "https://example.org/p/")
    assert [file.name for file in weights] == ["one.safetensors", "two.safetensors"]
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    listed = list(csv.reader(io.StringIO(held["attention_book-9.dist-info/RECORD"].decode())))
    assert {row[0] for row in listed} == set(held) and len(listed) == len(held)
    for name, digest, size in listed[:-1]:
        found = base64.urlsafe_b64encode(hashlib.sha256(held[name]).digest()).decode().rstrip("=")
        assert (digest, size) == (f"sha256={found}", str(len(held[name])))
    served = json.loads(held["attention_book/pretrained/served.json"])
    assert served["address"] == "https://example.org/p/"
    for file in weights:
        said = served["files"][file.stem]
        assert said["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest() and said["size"] == file.stat().st_size
        assert b"served.json" in held[f"attention_book/pretrained/{file.stem}/model.safetensors"]


def test_a_vocabulary_that_translators_share_is_kept_with_the_first_of_them(tmp_path):
    texts = {"en-es-b": "one", "en-es": "one", "en-es-a": "other", "fr": "other"}
    with zipfile.ZipFile(a_wheel(tmp_path / "a.whl"), "a") as archive:
        for name, text in texts.items():
            archive.writestr(f"attention_book/pretrained/{name}/tokenizer.json", text)
    wheel, *_ = split_wheel(tmp_path / "a.whl", tmp_path / "out")
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(f"attention_book/pretrained/{name}/tokenizer.json").decode() for name in texts}
        served = json.loads(archive.read("attention_book/pretrained/served.json"))
    assert served["same"] == {
        "en-es-b/tokenizer.json": "en-es/tokenizer.json",
        "fr/tokenizer.json": "en-es-a/tokenizer.json",
    }
    assert (held["en-es"], held["en-es-a"]) == ("one", "other")
    assert all("another translator" in held[name] for name in ("en-es-b", "fr"))


def test_the_same_wheel_gives_the_same_bytes(tmp_path):
    first, again = (split_wheel(a_wheel(tmp_path / "a.whl"), tmp_path / name)[0].read_bytes() for name in "xy")
    assert first == again


@pytest.mark.parametrize(
    ("source", "base", "wanted"),
    [
        ("", "", ""),
        ("git+https://example.org/b", "https://example.org/", "git+https://example.org/b"),
        ("", "https://example.org/book", f"https://example.org/book/{FOLDER}/{wheel_name(BOOK)}"),
    ],
)
def test_a_notebook_takes_the_package_from_the_published_book_if_there_is_one(source, base, wanted):
    config = SimpleNamespace(book_source=source, html_baseurl=base)
    assert source_of_package(config) == wanted == (source or address_of_wheel(BOOK, base))


@pytest.mark.parametrize(
    ("base", "jupyter", "labels"),
    [
        ("", "", []),
        ("", "https://hub.example.org", []),
        ("https://example.org/b/", "", ["notebook-address"]),
        ("https://example.org/b", "https://hub.example.org/", ["launch-jupyter", "notebook-address"]),
    ],
)
def test_launch_buttons_are_there_when_the_address_is_set_and_never_otherwise(base, jupyter, labels):
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=base, launch_jupyter=jupyter))
    context = {"ipynb_source": "chapters/a.ipynb", "header_buttons": [{"label": "download"}]}
    add_buttons(app, "chapters/a", "page.html", context, None)
    assert [one["label"] for one in context["header_buttons"]] == [*labels, "download"]
    told = [one.get("url", one.get("javascript")) for one in context["header_buttons"][: len(labels)]]
    assert all("example.org" in one and "chapters" in one and '"' not in one for one in told)
    page = {"header_buttons": []}  # without a notebook
    add_buttons(app, "search", "search.html", page, None)
    assert page == {"header_buttons": []}


@pytest.mark.slow
def test_a_book_with_an_address_serves_its_package_and_its_notebooks_name_it(tiny_book, tmp_path):
    book = tiny_book.copy(tmp_path / "published")
    config = yaml.safe_load((book.folder / "_config.yml").read_text(encoding="utf-8"))
    config["html"]["baseurl"] = base = "https://example.org/book/"
    config["sphinx"]["config"]["launch_jupyter"] = "https://hub.example.org"
    (book.folder / "_config.yml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    status, log = book.build()
    assert status == 0, log[-3000:]
    package = book.html / FOLDER
    assert {file.name for file in package.iterdir()} >= {wheel_name(BOOK), "en-es.safetensors"}
    with zipfile.ZipFile(package / wheel_name(BOOK)) as wheel:
        assert json.loads(wheel.read("attention_book/pretrained/served.json"))["address"] == f"{base}{FOLDER}/"
    notebook = nbformat.read(book.html / "_sources" / "chapters" / "everything.ipynb", as_version=4)
    [first] = [cell for cell in notebook.cells if "setup" in cell.metadata.get("tags", ())]
    assert f"ADDRESS = '{base}{FOLDER}/{wheel_name(BOOK)}'" in first.source
    page = (book.html / "chapters" / "everything.html").read_text(encoding="utf-8")
    address = f"{base}_sources/chapters/everything.ipynb"
    assert f"writeText('{address}')" in page and f"lab?fromURL={quote(address, safe='')}" in page
    plain = (tiny_book.html / "chapters" / "everything.html").read_text(encoding="utf-8")
    assert "writeText" not in plain and "fromURL" not in plain and not (tiny_book.html / FOLDER).exists()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        self.server.asked.append(self.path)


@pytest.mark.slow
def test_a_notebook_installs_it_from_the_book_and_fetches_its_weights(tmp_path, monkeypatch):
    for option in ("NO_INDEX", "NO_DEPS", "IGNORE_INSTALLED", "QUIET"):  # the other packages are there, as lent
        monkeypatch.setenv(f"PIP_{option}", "1")
    monkeypatch.setenv("ATTENTION_BOOK_WEIGHTS", str(tmp_path / "kept"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "site")) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        wheel, *weights = make_wheel(BOOK, tmp_path / "site" / FOLDER, address)
        assert wheel.stat().st_size < 3e6 and wheel.name == wheel_name(BOOK)
        first, ask = setup_cell(address_of_wheel(BOOK, address)), nbformat.v4.new_code_cell(ASKED)
        nbformat.write(nbformat.v4.new_notebook(cells=[first, ask]), tmp_path / "notebook.ipynb")
        environment = FreshEnvironment(tmp_path / "bare")
        [good] = [file for file in weights if file.stem == "en-es"]
        content = good.read_bytes()
        good.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        told = environment.run(tmp_path / "notebook.ipynb", tmp_path / "damaged")
        assert "is not the weights of 'en-es'" in told and "It was not kept" in told
        assert not list((tmp_path / "kept").rglob("*.safetensors"))
        good.write_bytes(content)
        assert environment.run(tmp_path / "notebook.ipynb", tmp_path / "run") == ""
        server.shutdown()
    asked = [path.rpartition("/")[2] for path in server.asked]
    assert asked.count(wheel.name) == 1 and asked.count("en-es.safetensors") == 2
    assert "en-es-rnn-attention.safetensors" not in asked
