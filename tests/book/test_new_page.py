"""`make new-page`: the skeleton has every part that the tests of the text ask for, and says what is left to write."""

import new_page
import page_preview
import prose
import pytest
import test_prose

from attention_book.pages.book_page import BookPage

BOOK = new_page.BOOK


@pytest.fixture
def book(tmp_path):
    """A copy of the sources that a new page touches."""
    for path in [BOOK / "_toc.yml", BOOK / "README.md", *(BOOK / "chapters").rglob("*.md")]:
        copy = tmp_path / path.relative_to(BOOK)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


@pytest.fixture
def written(book, monkeypatch):
    """The new page and its solutions, where the tests of the text look for pages."""
    files = new_page.write_page(book, "attention", "new-thing", "The new thing")
    monkeypatch.setattr(prose, "ROOT", book)
    for module in (prose, test_prose):
        monkeypatch.setattr(module, "CHAPTERS", book / "chapters")
    monkeypatch.setattr(test_prose, "PAGES", prose.pages_in_contents())
    assert files[:2] == ["_toc.yml", "README.md"]
    assert files[2:] == ["chapters/attention/new-thing.md", "chapters/appendix/solutions/new-thing.md"]
    return {page.name: page for page in test_prose.PAGES}


STRUCTURE = [
    test_prose.test_the_words_are_the_books_own,
    test_prose.test_a_page_has_a_title_and_a_label_before_it,
    test_prose.test_a_chapter_begins_with_a_question,
    test_prose.test_a_chapter_shows_or_runs_the_package,
    test_prose.test_a_chapter_has_something_for_a_live_kernel_and_says_so,
    test_prose.test_a_chapter_has_its_exercises_of_each_kind,
    test_prose.test_every_exercise_has_a_solution_and_the_chapter_links_to_it,
]


@pytest.mark.parametrize("check", STRUCTURE, ids=lambda check: check.__name__)
def test_the_skeleton_has_every_part_of_a_chapter(written, check):
    assert check(written["attention/new-thing"]) is None  # it raises what is missing


def test_a_skeleton_is_not_taken_for_a_chapter(written):
    test_prose.test_exercises_and_solutions_have_labels_of_their_own()
    for name in ("attention/new-thing", "appendix/solutions/new-thing"):
        with pytest.raises(AssertionError, match=f"chapters/{name}.md.*TO WRITE") as failure:
            test_prose.test_nothing_of_a_skeleton_is_left(written[name])
        assert "replace" in str(failure.value)


def test_its_lines_stand_with_those_of_its_part(book):
    before = page_preview.known_pages(book)
    new_page.write_page(book, "attention", "new-thing", "The new thing")
    pages = page_preview.known_pages(book)
    last = [page for page in before if page.startswith("attention/")][-1]
    assert pages[pages.index(last) + 1] == "attention/new-thing"
    assert [page for page in pages if "new-thing" not in page] == before and len(pages) == len(before) + 2
    readme = (book / "README.md").read_text(encoding="utf-8")
    assert readme.count("| [The new thing](chapters/attention/new-thing.md) |") == 1
    assert BookPage.read(book / "chapters/attention/new-thing.md").front_matter["kernelspec"]


@pytest.mark.parametrize(
    ("part", "name", "title", "told"),
    [
        ("attention", "masks", "Masks", "chapters/.*masks.md exists"),
        ("nowhere", "thing", "A thing", "PART is one of: attention, before"),
        ("attention", "A thing", "A thing", "small letters"),
        ("attention", "thing", "", "Give all three"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is_written(book, part, name, title, told):
    before = {path: path.read_bytes() for path in book.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=told):
        new_page.write_page(book, part, name, title)
    assert before == {path: path.read_bytes() for path in book.rglob("*") if path.is_file()}
