"""What is covered where: every topic has its chapter and its test, or a chapter to come."""

import tomllib

import pytest
import topics
from topics import Group, Place, Topic

from attention_book.pages.book_page import BookPage

LISTING = topics.TOPICS.read_text(encoding="utf-8")
PAGE = """---
kernelspec:
  display_name: Python 3
  name: python3
covers:
  T001: {section: tides-moon, test: "tests/test_topics.py::test_a_label_finds_its_heading"}
---

(tides)=
# Tides and $\\sqrt{2}$

```{code-cell}
# no heading
```

(tides-moon)=
## The moon

Text with a label in it,

(tides-formula)=
before this paragraph.
"""
TOPIC = Topic("T001", "Why there are tides", "")


def found(topic, page=PAGE):
    """The faults of a book of one topic and one page."""
    sources = {"chapters/tides": page} if page else {}
    places = topics.covered_places(sources)
    given = Topic(topic.id, topic.title, topic.planned, tuple(places.get(topic.id, ())))
    return topics.faults([Group("T", "Tides", (given,))], places, sources, ["Later"])


def test_this_book_has_no_fault():
    faults = topics.book_faults()
    assert not faults, "\n".join(faults)


def test_the_ids_are_complete_and_in_order():
    ids = [topic.id for group in topics.book_groups() for topic in group.topics]
    assert ids == [f"C{number:03d}" for number in range(1, 121)]
    titles = [topic.title for group in topics.book_groups() for topic in group.topics]
    assert len(set(titles)) == len(titles)
    assert [group.letter for group in topics.book_groups()] == list("ABCDEFGHI")


def test_covered_and_to_come_are_counted_once_each():
    places = topics.covered_places(topics.chapter_sources())
    covered, to_come = topics.counts(topics.book_groups())
    assert covered == len(places) > 0
    assert to_come == sum("planned" in entry for group in tomllib.loads(LISTING).values() if isinstance(group, dict)
                          for entry in group.values() if isinstance(entry, dict))  # fmt: skip


def test_a_topic_with_a_chapter_or_a_plan_is_no_fault():
    assert found(TOPIC) == []
    assert found(Topic("T001", "Why there are tides", "Later"), page="") == []


@pytest.mark.parametrize(
    ("topic", "page", "fault"),
    [
        (TOPIC, "", "T001 (Why there are tides) is neither covered nor planned"),
        (TOPIC, "# Tides\n\nNo front matter.\n", "T001 (Why there are tides) is neither covered nor planned"),
        (Topic("T001", "", "Later"), PAGE, "T001 is covered by chapters/tides and still planned for 'Later'"),
        (Topic("T001", "", "Never"), "", "T001 is planned for 'Never', which is no chapter"),
        (TOPIC, PAGE.replace("section: tides-moon", "section: tides-sun"), "chapters/tides has no label (tides-sun)="),
        (TOPIC, PAGE.replace("::test_a_label", "::test_no"), "there is no test tests/test_topics.py::test_no"),
        (TOPIC, PAGE.replace("T001:", "T999: {section: tides, test: x}\n  T001:"), "covers T999, which is no"),
    ],
)  # fmt: skip
def test_each_fault_is_found(topic, page, fault):
    assert any(fault in one for one in found(topic, page))


def test_a_topic_listed_twice_is_found():
    twice = Group("T", "Tides", (Topic("T001", "a", "Later"), Topic("T001", "b", "Later")))
    assert topics.faults([twice], {}, {}, ["Later"]) == ["T001 is listed twice"]


@pytest.mark.parametrize("claim", ["tides", "{section: tides}", "{section: tides, test: x, note: y}"])
def test_a_claim_that_is_laid_out_otherwise_is_refused(claim):
    with pytest.raises(ValueError, match="T001 needs a section and a test"):
        topics.covered_places({"chapters/tides": f"---\ncovers:\n  T001: {claim}\n---\n\n# Tides\n"})


@pytest.mark.parametrize(
    ("label", "heading"),
    [("tides", "Tides and $\\sqrt{2}$"), ("tides-moon", "The moon"), ("tides-formula", "The moon"), ("moon", None)],
)
def test_a_label_finds_its_heading(label, heading):
    page = BookPage.of(PAGE)
    found = page.labels.get(label)
    assert (found and found.text) == heading
    assert page.title == "Tides and $\\sqrt{2}$"


@pytest.mark.parametrize(
    ("node_id", "exists"),
    [
        ("tests/test_topics.py::test_this_book_has_no_fault", True),
        ("tests/test_repository.py::TestReadme::test_its_commands_exist", True),
        ("tests/test_repository.py::TestReadme", False),
        ("tests/test_repository.py::test_its_commands_exist", False),
        ("tests/test_topics.py::found", False),
        ("tests/test_topics.py", False),
        ("tests/test_nowhere.py::test_this_book_has_no_fault", False),
    ],
)
def test_only_what_pytest_would_run_is_a_test(node_id, exists):
    assert topics.has_test(node_id) is exists


def test_settling_removes_the_plan_of_what_is_covered_and_nothing_else():
    listing = (
        '[T]\ntitle = "Tides"\nC001 = {title = "a, b", planned = "Later"}\nC002 = {title = "c", planned = "Later"}\n'
    )
    after = tomllib.loads(topics.settled(listing, {"C001": [Place("p", "s", "t")]}))
    assert after == {"T": {"title": "Tides", "C001": {"title": "a, b"}, "C002": {"title": "c", "planned": "Later"}}}


def test_saving_a_chapter_in_a_notebook_keeps_what_it_covers():
    jupytext = pytest.importorskip("jupytext")
    from jupytext.config import load_jupytext_configuration_file

    def saved(**options):
        """The page after it has been opened as a notebook and saved."""
        format_ = {"extension": ".md", "format_name": "myst", **options}
        return {"chapters/tides": jupytext.writes(jupytext.reads(PAGE, fmt="md:myst"), fmt=format_)}

    options = {}
    file = topics.BOOK / "chapters" / "jupytext.toml"  # of the folder that `make lab` opens
    load_jupytext_configuration_file(str(file)).set_default_format_options(options)
    assert topics.covered_places(saved(**options)) == topics.covered_places({"chapters/tides": PAGE})
    assert topics.covered_places(saved()) == {}  # why the file is there
