"""The runs at a glance: three made-up ones added up by hand, and the book's own."""

from dataclasses import replace
from pathlib import Path

import pytest

from attention_book.experiments.records import KINDS, MECHANISM, SHIPPED, STATISTICS, Run
from attention_book.pages.run_overview import RunOverview

CHAPTERS = Path(__file__).parents[2] / "chapters"
MACHINE = {"processor": "Abacus", "cores": 2, "threads": 1, "system": "Linux"}


@pytest.fixture
def overview():
    first = Run(
        name="coin", file="results/coin.json", kind=MECHANISM, question="Which side?", command="toss", seeds=("1", "2"),
        tokens=1_500_000, seconds=3600, machine=MACHINE, versions={"torch": "2"}, date="2026-01-01", digest="abc",
    )  # fmt: skip
    drawn = replace(first, name="dice", kind=STATISTICS, seeds=("1",), tokens=0, seconds=360)
    model = replace(first, name="en-es", kind=SHIPPED, seeds=("1",), seconds=7200, digest=None)
    model = replace(model, machine=MACHINE | {"threads": 2})
    return RunOverview([first, drawn, model], {"coin": ["a/page"]}, {"a/page": "A page"})


def test_three_runs_are_added_up_by_hand(overview):
    assert overview.cost_rows() == [
        ("mechanism", "1", "1.0", "1.5"),
        ("real", "0", "0.0", "none"),
        ("statistics", "1", "0.1", "none"),
        ("shipped", "1", "4.0", "1.5"),  # two threads
        ("all", "3", "5.1", "3.0"),
    ]


def test_the_numbers_of_the_text(overview):
    numbers = overview.numbers()
    assert (numbers["n_runs"], numbers["n_experiments"], numbers["n_models"], numbers["models_plural"]) == (3, 2, 1, "")
    assert (numbers["n_spread"], numbers["n_single"], numbers["longest"], numbers["longest_hours"]) == (
        1,
        2,
        "en-es",
        2,
    )
    assert numbers["n_machines"] == 2 and numbers["machines_plural"] == "s" and numbers["libraries"] == "torch 2"
    assert numbers["machines"].count(";") == 1 and numbers["hours"] == pytest.approx(5.1)


def test_a_kind_is_told_with_its_runs_alone(overview):
    told = overview.as_html(MECHANISM)
    assert 'id="run-coin"' in told and "A page" in told and "dice" not in told


def test_every_run_of_the_book_is_listed_under_one_kind():
    book = RunOverview.of(sorted(CHAPTERS.rglob("*.md")))
    assert sum(len(book.of_kind(kind)) for kind in KINDS) == len(book.runs) == book.numbers()["n_runs"]
    assert int(book.cost_rows()[-1][1]) == len(book.runs)
