"""The digest of a page: it moves with what the page runs and reads, and with nothing else."""

import shutil

import pytest
from code_digest import data_of, page_digest
from tiny_book import TINY

from attention_book.provenance.definitions import Definitions
from attention_book.provenance.source_graph import SourceGraph

CELLS = ["%matplotlib inline\nfrom tiny_package.means import mean", "!ls\nmean([1])"]


@pytest.fixture
def book(tmp_path):
    shutil.copytree(TINY, tmp_path / "book")
    return tmp_path / "book"


def digest(book, cells=CELLS):
    definitions = Definitions(SourceGraph(book / "src"), messages=True)
    return page_digest(cells, book / "chapters", definitions, book / "results", [book / "requirements.lock"])


def edit(path):
    """Change what a file says; of a module, what its functions return."""
    text = path.read_text(encoding="utf-8")
    changed = text.replace("return ", "return 1 and ") if "return " in text else text + "\nprint(1)\n"
    path.write_text(changed if path.suffix == ".py" else text + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "cells", "moves"),
    [
        ("src/tiny_package/means.py", CELLS, True),
        ("src/tiny_package/sums.py", CELLS, True),  # through means
        ("src/tiny_package/__init__.py", CELLS, True),  # runs first
        ("src/tiny_package/words.py", CELLS, False),
        ("src/tiny_package/words.py", ["import tiny_package.words as w\nw.shout('a')"], True),
        ("src/tiny_package/words.py", ["import tiny_package.words as w"], False),  # nothing in it is used
        ("src/tiny_package/words.py", ["def later():\n    from tiny_package import words\n    words.shout('a')"], True),
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
        ("src/tiny_package/words.py", ["def ("], True),  # depends on everything
    ],
)
def test_the_digest_moves_with_what_the_page_uses(book, file, cells, moves):
    before = digest(book, cells)
    edit(book / file)
    assert (digest(book, cells) != before) == moves


def test_of_pages_read_by_a_pattern_titles_and_cells_count(book):
    cells, page = ['glob("../chapters/*.md")'], book / "chapters" / "other.md"
    text, before = page.read_text(encoding="utf-8"), digest(book, cells)
    for old, new, moves in (
        ("# The other page\n", "# The other page\n\nA sentence.\n", False),
        ("# The other page\n", "# Another page\n", True),
        ('shout("hello")', 'shout("bye")', True),
    ):
        assert old in text
        page.write_text(text.replace(old, new), encoding="utf-8")
        assert (digest(book, cells) != before) == moves


@pytest.mark.parametrize(
    ("old", "new", "moves"),
    [
        ("The word in capitals.", "A word in capitals.", False),
        ("    return", "    # A remark.\n    return", False),
        ("def shout", "def unused():\n    return 1\n\n\ndef shout", False),
        ("word.upper()", "word.lower()", True),
    ],
)
def test_what_a_definition_computes_counts(book, old, new, moves):
    cells = ["from tiny_package.words import shout\nshout('a')"]
    words, before = book / "src" / "tiny_package" / "words.py", digest(book, cells)
    text = words.read_text(encoding="utf-8")
    assert old in text
    words.write_text(text.replace(old, new), encoding="utf-8")
    assert (digest(book, cells) != before) == moves


def test_what_an_error_says_counts_since_a_page_may_print_it(book):
    cells = ["from tiny_package.words import shout\nshout('a')"]
    words = book / "src" / "tiny_package" / "words.py"
    text = words.read_text(encoding="utf-8")
    words.write_text(text.replace("    return", "    if not word:\n        raise ValueError('one')\n    return"))
    before = digest(book, cells)
    words.write_text(words.read_text(encoding="utf-8").replace("'one'", "'two'"))
    assert digest(book, cells) != before


def test_the_digest_is_the_same_in_another_folder(book, tmp_path):
    shutil.copytree(book, tmp_path / "elsewhere")
    assert digest(book) == digest(tmp_path / "elsewhere")


def test_a_result_that_a_module_names_counts(book):
    words = book / "src" / "tiny_package" / "words.py"
    words.write_text(words.read_text() + 'SIGN, MEASURED = "*", "measured"\n')
    cells = ["from tiny_package.words import MEASURED, SIGN\nprint(MEASURED, SIGN)"]
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
    files = data_of(SourceGraph(book / "src"), "tiny_package.words", {"weights"})
    assert {file.name for file in files} == {"numbers.bin", "words.js"}
    cells = ["from tiny_package.words import FOLDER\nprint(FOLDER)"]
    before = digest(book, cells)
    (package / "weights" / "numbers.bin").write_bytes(b"22")
    assert digest(book, cells) != before
