"""The built page *What is covered where*: every topic in one row, with a link and a test, or a chapter to come."""

from pathlib import Path

import pytest
import topics
from bs4 import BeautifulSoup

PAGE = Path(__file__).parents[2] / "_build" / "html" / "chapters" / "appendix" / "covered.html"
pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def article():
    return BeautifulSoup(PAGE.read_text(encoding="utf-8"), "html.parser").find("article")


def test_every_topic_has_a_row_that_says_where_it_is(article):
    rows = [row.find_all("td") for table in article.select("table.topics") for row in table.select("tbody tr")]
    listed = [topic for group in topics.book_groups() for topic in group.topics]
    assert [cells[0].find(class_="topic-id").get_text().strip() for cells in rows] == [topic.id for topic in listed]
    for (_, where), topic in zip(rows, listed, strict=True):
        links = [link["href"] for link in where.find_all("a")]
        assert len(links) == len(topic.places)
        assert [code.get_text() for code in where.find_all("code")] == [place.test for place in topic.places]
        for link, place in zip(links, topic.places, strict=True):
            name, _, label = link.partition("#")
            assert place.page.endswith(name.removesuffix(".html").replace("../", "")) and label == place.section
        assert topic.places or where.get_text(strip=True) == f"to come: {topic.planned}"


def test_the_counts_are_those_of_the_list(article):
    covered, to_come = topics.counts(topics.book_groups())
    told = f"{covered} topics are covered" + (f", and {to_come} are to come." if to_come else ".")
    assert told in [paragraph.get_text() for paragraph in article.find_all("p")]
