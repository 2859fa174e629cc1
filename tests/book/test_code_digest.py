"""The digest of a page: it moves with what the page runs and reads, and with nothing else."""

import shutil

import pytest
from code_digest import data_of, page_digest
from tiny_book import TINY

from attention_book.source_graph import SourceGraph

CELLS = ["%matplotlib inline\nfrom tiny_package.means import mean", "!ls\nmean([1])"]


@pytest.fixture
def book(tmp_path):
    shutil.copytree(TINY, tmp_path / "book")
    return tmp_path / "book"


def digest(book, cells=CELLS):
    graph = SourceGraph(book / "src")
    return page_digest(cells, book / "chapters", graph, book / "results", [book / "requirements.lock"])


def edit(path):
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "cells", "moves"),
    [
        ("src/tiny_package/means.py", CELLS, True),
        ("src/tiny_package/sums.py", CELLS, True),  # through means
        ("src/tiny_package/__init__.py", CELLS, True),  # runs first
        ("src/tiny_package/words.py", CELLS, False),
        ("src/tiny_package/words.py", ["import tiny_package.words as w"], True),
        ("src/tiny_package/words.py", ["def later():\n    from tiny_package import words"], True),
        ("requirements.lock", CELLS, True),
        ("results/measured.json", CELLS, False),
        ("results/measured.json", ['read("measured")'], True),
        ("results/measured.json", ['open("../results/measured.json")'], True),
        ("results/measured.json", ['glob("../results/*.json")'], True),
        ("results/real/model.json", CELLS, False),
        ("results/real/model.json", ['recorded("model")'], True),
        ("results/real/model.json", ['glob("../results/*.json")'], True),
        ("chapters/beside.json", CELLS, False),
        ("chapters/beside.json", ['open("beside.json")'], True),
        ("chapters/index.md", ['glob("*.md")'], False),  # as in the multiplication of two strings
        ("chapters/index.md", ['glob("../chapters/*.md")'], True),
        ("src/tiny_package/words.py", ["def ("], True),  # depends on everything
    ],
)
def test_the_digest_moves_with_what_the_page_uses(book, file, cells, moves):
    before = digest(book, cells)
    edit(book / file)
    assert (digest(book, cells) != before) == moves


def test_the_digest_is_the_same_in_another_folder(book, tmp_path):
    shutil.copytree(book, tmp_path / "elsewhere")
    assert digest(book) == digest(tmp_path / "elsewhere")


def test_a_result_that_a_module_names_counts(book):
    words = book / "src" / "tiny_package" / "words.py"
    words.write_text(words.read_text() + 'SIGN, MEASURED = "*", "measured"\n')
    cells = ["import tiny_package.words"]
    for file, moves in (("measured.json", True), ("real/model.json", False)):
        before = digest(book, cells)
        edit(book / "results" / file)
        assert (digest(book, cells) != before) == moves


def test_data_that_a_module_names_counts(book):
    package = book / "src" / "tiny_package"
    (package / "weights").mkdir()
    (package / "weights" / "numbers.bin").write_bytes(b"1")
    (package / "words.js").write_text("1")
    (package / "other.txt").write_text("1")
    edit(package / "words.py")
    (package / "words.py").write_text((package / "words.py").read_text() + 'FOLDER = "weights"\n')
    files = data_of(SourceGraph(book / "src"), "tiny_package.words")
    assert {file.name for file in files} == {"numbers.bin", "words.js"}
    before = digest(book, ["import tiny_package.words"])
    (package / "weights" / "numbers.bin").write_bytes(b"2")
    assert digest(book, ["import tiny_package.words"]) != before
