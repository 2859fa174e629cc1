"""The book's topics: which chapter covers each, by which section and which test, and what is still to come.

The topics stand in ``topics.toml``. Where they are covered is told by the chapters themselves, in their front matter::

    covers:
      C008: {section: LABEL, test: "tests/attention/test_probability.py::test_jacobian_is_autograds"}

``python site/topics.py`` prints how many are covered and whatever is wrong; ``--settle`` first removes the `planned` of
topics that are covered by now.
"""

import argparse
import ast
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from attention_book.pages.book_page import BookPage

BOOK = Path(__file__).resolve().parent.parent
TOPICS = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Place:
    """Where a topic is covered: a page of the book, a label on it, and a test."""

    page: str
    section: str
    test: str


@dataclass(frozen=True)
class Topic:
    """One topic: its id, its title, the chapter it is planned for ("" for none) and the places that cover it."""

    id: str
    title: str
    planned: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Group:
    """Topics of one kind, under one letter."""

    letter: str
    title: str
    topics: tuple[Topic, ...]


def chapter_sources(book=BOOK):
    """The source of every page, by its name in the book, such as "chapters/attention/masks"."""
    return {
        path.relative_to(book).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((book / "chapters").rglob("*.md"))
    }


def covered_places(sources):
    """Topic id to the places that claim to cover it.

    Raises:
        ValueError: if a page's `covers` is not laid out as this module's docstring says.
    """
    places = {}
    for page, text in sources.items():
        for id_, place in (BookPage.of(text).front_matter.get("covers") or {}).items():
            if not isinstance(place, dict) or set(place) != {"section", "test"}:
                raise ValueError(f"{page}: covers {id_} needs a section and a test, and nothing else: {place!r}")
            places.setdefault(id_, []).append(Place(page, str(place["section"]), str(place["test"])))
    return places


def read_groups(listing, places):
    """The groups of the list, in its order, each topic with its places.

    Args:
        listing: the text of ``topics.toml``.
        places: as from `covered_places`.
    """
    groups = []
    for letter, entries in tomllib.loads(listing).items():
        if letter != "chapters":
            topics = tuple(
                Topic(id_, entry["title"], entry.get("planned", ""), tuple(places.get(id_, ())))
                for id_, entry in entries.items()
                if id_ != "title"
            )
            groups.append(Group(letter, entries["title"], topics))
    return groups


def book_groups(book=BOOK):
    """The groups of this book, as its list and its chapters are now."""
    return read_groups(TOPICS.read_text(encoding="utf-8"), covered_places(chapter_sources(book)))


def counts(groups):
    """How many topics are covered, and how many are to come."""
    topics = [topic for group in groups for topic in group.topics]
    covered = sum(bool(topic.places) for topic in topics)
    return covered, len(topics) - covered


def has_test(node_id, book=BOOK):
    """Whether the file of a pytest node id has that function, or that class with that method."""
    file, *names = node_id.split("::")
    path = book / file
    if not names or not path.is_file():
        return False
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for name in names:
        found = [node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name]
        if not found:
            return False
        body = found[0].body
    return isinstance(found[0], ast.FunctionDef) and names[-1].startswith("test")


def faults(groups, places, sources, chapters, book=BOOK):
    """What is wrong with the list or with what the chapters say, one sentence each; nothing if all is well.

    Args:
        groups: as from `read_groups`.
        places: as from `covered_places`.
        sources: as from `chapter_sources`.
        chapters: the titles that a topic may be planned for.
        book: where the tests lie.
    """
    known, found = set(), []
    for topic in (topic for group in groups for topic in group.topics):
        if topic.id in known:
            found.append(f"{topic.id} is listed twice")
        known.add(topic.id)
        if not topic.places and not topic.planned:
            todo = "name it in a page's `covers`, or give it a `planned` in site/topics.toml"
            found.append(f"{topic.id} ({topic.title}) is neither covered nor planned: {todo}")
        if topic.places and topic.planned:
            page = topic.places[0].page
            told = f"{topic.id} is covered by {page} and still planned for {topic.planned!r}"
            found.append(f"{told}: run python site/topics.py --settle")
        if topic.planned and topic.planned not in chapters:
            found.append(f"{topic.id} is planned for {topic.planned!r}, which is no chapter of site/topics.toml")
    for id_, claimed in places.items():
        if id_ not in known:
            found.append(f"{claimed[0].page} covers {id_}, which is no topic")
        for place in claimed:
            if place.section not in BookPage.of(sources[place.page]).labels:
                found.append(f"{id_}: {place.page} has no label ({place.section})=: add it above the section's heading")
            if not has_test(place.test, book):
                found.append(f"{id_}: there is no test {place.test}: {place.page} names it in `covers`")
    return found


def book_faults(book=BOOK):
    """What is wrong in this book."""
    listing, sources = TOPICS.read_text(encoding="utf-8"), chapter_sources(book)
    places = covered_places(sources)
    return faults(read_groups(listing, places), places, sources, tomllib.loads(listing)["chapters"], book)


def settled(listing, covered):
    """The text of the list without the `planned` of topics that are covered."""
    return re.sub(
        r'^(C\d+)( = \{title = ".*"), planned = "[^"]*"\}$',
        lambda line: f"{line[1]}{line[2]}}}" if line[1] in covered else line[0],
        listing,
        flags=re.M,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settle", action="store_true", help="remove `planned` where a topic is covered by now")
    if parser.parse_args().settle:
        listing = TOPICS.read_text(encoding="utf-8")
        TOPICS.write_text(settled(listing, covered_places(chapter_sources())), encoding="utf-8")
    print("{} covered, {} to come".format(*counts(book_groups())))
    wrong = book_faults()
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
