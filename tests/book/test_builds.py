"""Builds: what is executed again, what fails, and when nothing is done. The book is the tiny one."""

import re
import shutil
import sys

import build
import pytest
import shared_state
import yaml

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def edited_book(tiny_book, tmp_path_factory):
    """A copy of the built tiny book, to be edited."""
    return tiny_book.copy(tmp_path_factory.mktemp("edited"))


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_package_edit_executes_the_pages_that_import_the_module_and_no_others(edited_book):
    source = edited_book.folder / "src" / "tiny_package"
    edit(source / "sums.py", "return sum(numbers)", "return 1 * sum(numbers)")
    status, log = edited_book.build()
    assert (status, edited_book.executed(log)) == (0, ["everything"]), log[-2000:]
    edit(source / "words.py", "word.upper()", "word.upper() + '!'")
    status, log = edited_book.build()
    assert (status, edited_book.executed(log)) == (0, ["other"]), log[-2000:]
    assert "HELLO!" in (edited_book.html / "chapters" / "other.html").read_text(encoding="utf-8")


def test_an_incremental_build_notices_a_package_edit_too(edited_book):
    edit(edited_book.folder / "src" / "tiny_package" / "words.py", "word.upper()", "word.upper().strip()")
    status, log = edited_book.build("-W", "-n", "--keep-going")
    assert (status, edited_book.executed(log)) == (0, ["other"]), log[-2000:]


@pytest.mark.parametrize("left", ["its folder", "nothing", "a folder of another"])
def test_what_a_killed_build_has_lost_of_its_cache_is_run_again(edited_book, left):
    """A build may die while it writes into its cache, or clears it."""
    page = edited_book.folder / "chapters" / "other.md"
    good = page.read_text(encoding="utf-8")
    kept = edited_book.folder / "_build" / ".jupyter_cache" / "executed"
    if left == "a folder of another":
        (kept / "unknown").mkdir()
        edit(page, 'shout("hello")', 'shout( "hello" )')  # it has to be run
    else:
        for notebook in kept.glob("*/base.ipynb"):
            if "shout" in notebook.read_text(encoding="utf-8"):
                shutil.rmtree(notebook.parent) if left == "nothing" else notebook.unlink()
        edit(page, "# The other page", "# The other page\n\nAnother sentence.")  # it has to be read
    try:
        status, log = edited_book.build()
    finally:
        page.write_text(good, encoding="utf-8")
    assert (status, edited_book.executed(log)) == (0, ["other"]), log[-2000:]
    assert not (kept / "unknown").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('shout("hello")', "1 / 0"),
        ('shout("hello")', "import warnings; warnings.warn('stray')"),
        ("# The other page", "# The other page\n\n{ref}`nowhere`"),
    ],
    ids=["a failing cell", "a stray warning", "a broken reference"],
)
def test_what_is_wrong_on_a_page_fails_the_build_and_fails_it_again(edited_book, old, new):
    page = edited_book.folder / "chapters" / "other.md"
    good = page.read_text(encoding="utf-8")
    edit(page, old, new)
    try:
        assert [edited_book.build()[0] != 0 for _ in range(2)] == [True, True]
    finally:
        page.write_text(good, encoding="utf-8")


MEETING = """```{code-cell} ipython3
import time
from pathlib import Path

Path("OWN-is-here").touch()
limit = time.monotonic() + 60
while not Path("OTHER-is-here").exists():
    assert time.monotonic() < limit, "the other page does not run"
    time.sleep(0.1)
```

"""


def test_pages_run_at_the_same_time_ahead_of_their_reading(edited_book, monkeypatch):
    """Each of two pages waits for the other one, so that one after the other they would fail."""
    names = ("everything", "other")
    for own, other in (names, names[::-1]):
        page = edited_book.folder / "chapters" / f"{own}.md"
        cell = MEETING.replace("OWN", own).replace("OTHER", other)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("```{code-cell}", f"{cell}```{{code-cell}}", 1), encoding="utf-8")
    monkeypatch.setenv("BOOK_WORKERS", "2")
    status, log = edited_book.build()
    assert (status, edited_book.executed(log)) == (0, ["everything", "other"]), log[-2000:]
    told = ["running 2 pages, 2 at once", "reading sources...", "Executed notebook in", "Using cached notebook"]
    assert sorted(told, key=log.index) == told
    assert log.count("Using cached notebook") == 2


def test_one_worker_runs_each_page_when_it_is_read(edited_book, monkeypatch):
    for name in ("everything", "other"):
        edit(edited_book.folder / "chapters" / f"{name}.md", "time.sleep(0.1)", "time.sleep(0.2)")
    monkeypatch.setenv("BOOK_WORKERS", "1")
    status, log = edited_book.build()
    assert (status, edited_book.executed(log)) == (0, ["everything", "other"]), log[-2000:]
    assert log.index("reading sources...") < log.index("Executed notebook in")


@pytest.fixture
def inputs(tmp_path):
    for name in build.INPUTS:
        path = tmp_path / name
        if path.suffix:
            path.write_text(name)
        else:
            path.mkdir(parents=True)
            (path / "file").write_text(name)
    return tmp_path


def test_the_inputs_digest_sees_edits_moves_and_deletions(inputs):
    digests = [build.inputs_digest(inputs)]
    (inputs / "_config.yml").write_text("other")
    digests.append(build.inputs_digest(inputs))
    (inputs / "chapters" / "file").rename(inputs / "chapters" / "moved")
    digests.append(build.inputs_digest(inputs))
    (inputs / "chapters" / "moved").unlink()
    digests.append(build.inputs_digest(inputs))
    assert len(set(digests)) == 4


def test_the_inputs_digest_ignores_what_is_not_an_input(inputs):
    before = build.inputs_digest(inputs)
    (inputs / "site" / "__pycache__").mkdir()
    (inputs / "site" / "__pycache__" / "build.pyc").write_bytes(b"1")
    (inputs / "README.md").write_text("1")
    (inputs / "chapters" / ".ipynb_checkpoints").mkdir()
    (inputs / "chapters" / ".ipynb_checkpoints" / "page.md").write_text("1")
    assert build.inputs_digest(inputs) == before


class Builder:
    """Stands in for jupyter-book: notes whether each run is whole, writes a page, and exits as it is told."""

    def __init__(self, book):
        self.book, self.whole, self.statuses = book, [], [0]

    def __call__(self, command, progress, cwd, env):
        self.whole.append("--all" in command)
        assert self.whole[-1] is ("BOOK_ONLY_CHANGED" not in env)
        for name in ("html/index.html", f".doctrees/{shared_state.RECORD}"):
            path = self.book / "_build" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("built")
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@pytest.fixture
def builder(inputs, monkeypatch):
    (inputs / "chapters" / "page.md").write_text("# A page")
    builder = Builder(inputs)
    monkeypatch.setattr(build, "follow", builder)
    return builder


def test_a_build_is_skipped_only_after_a_success_with_the_same_inputs(inputs, builder, capsys):
    assert [build.build(inputs), build.build(inputs), builder.whole] == [0, 0, [True]]
    assert "Nothing changed" in capsys.readouterr().out
    (inputs / "chapters" / "page.md").write_text("wrong")
    builder.statuses = [1]
    assert [build.build(inputs), build.build(inputs)] == [1, 1]  # it fails again
    assert builder.whole == [True, False, True]
    assert "build.log" in capsys.readouterr().out
    builder.statuses = [0]
    assert [build.build(inputs), build.build(inputs), builder.whole[3:]] == [0, 0, [True]]
    (inputs / "_build" / "html" / "index.html").unlink()
    assert [build.build(inputs), builder.whole[4:]] == [0, [True]]


@pytest.mark.parametrize("name", ["site/file", "results/file", "src/attention_book/file", "_toc.yml", "_config.yml",
                                  "references.bib", "chapters/new.md", "chapters/file"])  # fmt: skip
def test_only_edited_texts_of_pages_are_built_alone(inputs, builder, name):
    build.build(inputs)
    (inputs / "chapters" / "page.md").write_text("# A page, edited")
    build.build(inputs)
    (inputs / name).write_text("edited")
    build.build(inputs)
    (inputs / "chapters" / "page.md").unlink()
    build.build(inputs)
    assert builder.whole == [True, False, True, True]


def test_a_build_that_would_change_other_pages_is_made_whole(inputs, builder):
    build.build(inputs)
    (inputs / "chapters" / "page.md").write_text("# Another title")
    builder.statuses = [shared_state.SHARED_CHANGED, 0]
    assert [build.build(inputs), build.build(inputs), builder.whole] == [0, 0, [True, False, True]]


def test_an_interrupted_build_is_not_taken_for_a_success(inputs, builder, monkeypatch):
    build.build(inputs)
    (inputs / "chapters" / "page.md").write_text("edited")

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "follow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build.build(inputs)
    (inputs / "chapters" / "page.md").write_text("# A page")  # back to what the last success saw
    monkeypatch.setattr(build, "follow", builder)
    assert [build.build(inputs), builder.whole] == [0, [True, True]]


def written(html):
    """All that a reader may be sent of a built book, by its place, without the numbers that MyST draws for formulas."""
    kept = (file for file in html.rglob("*") if file.suffix in {".html", ".css", ".js", ".woff2", ".ipynb"})
    drawn = re.compile(rb"equation-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
    return {file.relative_to(html).as_posix(): drawn.sub(b"equation", file.read_bytes()) for file in kept}


@pytest.fixture(scope="module")
def book_written_at_once(tiny_book, tmp_path_factory):
    """A copy of the built tiny book in which even few pages are written by several processes."""
    if sys.platform != "linux":
        pytest.skip("pages are written by several processes on Linux alone")
    book = tiny_book.copy(tmp_path_factory.mktemp("at-once"))
    config = yaml.safe_load((book.folder / "_config.yml").read_text(encoding="utf-8"))
    config["sphinx"]["config"]["pages_written_by_one"] = 0
    (book.folder / "_config.yml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    for built in (book.html, book.html.with_name(".doctrees")):  # what is in the cache need not run again
        shutil.rmtree(built)
    return book


def test_pages_written_at_once_are_those_written_one_by_one(tiny_book, book_written_at_once, monkeypatch):
    monkeypatch.setenv("BOOK_WORKERS", "2")
    status, log = book_written_at_once.build()
    assert status == 0 and "writing the pages in 2 processes" in log, log[-2000:]
    alone, at_once = written(tiny_book.html), written(book_written_at_once.html)
    assert alone.keys() == at_once.keys() and len(alone) > 20
    assert [name for name in alone if alone[name] != at_once[name]] == []


def test_a_formula_that_is_none_fails_the_build_also_if_pages_are_written_at_once(book_written_at_once, monkeypatch):
    monkeypatch.setenv("BOOK_WORKERS", "2")
    page = book_written_at_once.folder / "chapters" / "other.md"
    edit(page, "# The other page", "# The other page\n\nA formula: $\\frac{1$.")
    status, log = book_written_at_once.build()
    assert status != 0 and "MathJax does not understand the formula" in log, log[-2000:]
