"""*For instructors*: weeks that add up, all questions of the problem sets; also in *Marking*: commands that exist."""

import re
from pathlib import Path

import course_plan
import pytest
import typer
from bs4 import BeautifulSoup

from coursework.__main__ import app

BOOK = Path(__file__).parents[2]
HTML = BOOK / "_build" / "html" / "chapters"
SOURCES = {name: BOOK / "chapters" / "appendix" / f"{name}.md" for name in ("for-instructors", "marking")}
TAKES = re.compile(r"About (\d+) minutes to read(?:, (\d+) for the exercises)?\.")


@pytest.fixture(scope="module")
def article():
    return BeautifulSoup((HTML / "appendix" / "for-instructors.html").read_text(encoding="utf-8"), "html.parser")


def tables_by_header(article, first):
    for table in article.select(".bd-article table"):
        if table.select_one("th").get_text() == first:
            yield [row.find_all("td") for row in table.select("tbody tr")]


def takes(href):
    """The minutes that a built page says it takes."""
    found = TAKES.search((HTML / "appendix" / href).read_text(encoding="utf-8"))
    return int(found[1]), int(found[2] or 0)


@pytest.mark.site
def test_the_hours_of_each_week_are_those_of_its_pages(article):
    syllabuses = list(tables_by_header(article, "week"))
    assert len(syllabuses) >= 3
    for weeks in syllabuses:
        for _, read, hours, _ in weeks:
            minutes = [takes(link["href"]) for link in read.find_all("a")]
            reading, exercises = (sum(one) for one in zip(*minutes, strict=True))
            said = [float(one) for one in hours.get_text().split("+")]
            assert abs(said[0] - reading / 60) <= 0.26 and (not exercises or abs(said[1] - exercises / 60) <= 0.26)


@pytest.mark.site
def test_no_week_reads_a_page_before_the_pages_that_it_builds_on(article):
    order = [
        line.split()[-1].removeprefix("chapters/")
        for line in (BOOK / "_toc.yml").read_text(encoding="utf-8").splitlines()
        if "file:" in line
    ]
    for weeks in tables_by_header(article, "week"):
        links = [link["href"] for _, cell, *_ in weeks for link in cell.find_all("a")]
        places = [order.index(link.removeprefix("../").removesuffix(".html")) for link in links]
        assert places == sorted(set(places))


@pytest.mark.site
def test_every_set_is_listed_with_its_questions_and_is_handed_in_after_what_it_needs(article):
    listed = [[row[0].get_text().replace("’", "'") for row in rows] for rows in tables_by_header(article, "question")]
    sets = course_plan.masters()
    assert listed == [[asked["title"] for asked in about["questions"].values()] for about in sets.values()]
    *_, longest = tables_by_header(article, "week")
    handed = {about["title"] for about in sets.values()}
    assert handed == {cells[3].get_text() for cells in longest} - {""}
    seen = set()
    for _, read, _, hand_in in longest:
        seen |= {link["href"].removeprefix("../").removesuffix(".html") for link in read.find_all("a")}
        for about in sets.values():
            if about["title"] == hand_in.get_text():
                assert set(about["prerequisites"]) - seen <= {"translator/how-good-is-it"}, about["title"]


@pytest.mark.parametrize(
    ("minutes", "said"),
    [((60, 30), "1 + 0.5"), ((95, 0), "1.5"), ((5, 5), "0.5 + 0.5"), ((14, 200), "0.5 + 3.5"), ((20, 0), "0.5")],
)
def test_minutes_are_told_as_hours_to_the_half(minutes, said):
    assert course_plan.told(minutes).replace(course_plan.NO_BREAK, " ") == said


def unknown_commands(text):
    """What the commands of a page ask of `python -m coursework` and it does not know: commands, and their options."""
    known = typer.main.get_command(app).commands
    for command, rest in re.findall(r"python -m coursework (\w+)((?:\\\n|[^\n`])*)", text):
        if command not in known:
            yield command
            continue
        options = {name for one in known[command].params for name in one.opts}
        yield from (f"{command} {name}" for name in re.findall(r"(?<!\S)--[\w-]+", rest) if name not in options)


@pytest.mark.parametrize("name", SOURCES)
def test_the_commands_for_instructors_exist(name):
    text = SOURCES[name].read_text(encoding="utf-8")
    assert text.count("python -m coursework") >= 3
    assert not list(unknown_commands(text)), f"chapters/appendix/{name}.md"


def test_a_command_or_an_option_that_is_gone_is_found():
    text = SOURCES["marking"].read_text(encoding="utf-8").replace("coursework merge", "coursework join")
    assert list(unknown_commands(text.replace("--handed-out ../", "--given ../"))) == ["join", "similar --given"]


def test_the_two_pages_for_instructors_lead_to_each_other():
    assert "{doc}`marking`" in SOURCES["for-instructors"].read_text(encoding="utf-8")
    assert "{doc}`for-instructors`" in SOURCES["marking"].read_text(encoding="utf-8")
