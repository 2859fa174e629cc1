"""The record of all runs: it is whole, every run is read somewhere, and what is missing is found."""

import json
from pathlib import Path

import pytest

from attention_book import experiments
from attention_book.experiments.records import KIND_OF, KINDS, Run, on_record, recorded
from attention_book.pages import measurements
from attention_book.pages.measurements import core_hours, faults, readers

CHAPTERS = Path(__file__).parents[2] / "chapters"
PAGES = sorted(CHAPTERS.rglob("*.md"))
RESULT = {
    "question": "Which side is up?", "command": "python -m attention_book experiment coin", "seeds": {"1": {}, "2": {}},
    "tokens": 10, "seconds": 7200.0, "machine": {"processor": "P", "cores": 4, "threads": 2, "system": "Linux"},
    "versions": {"torch": "2"}, "date": "2026-01-02", "code_digest": "0123456789abcdef",
}  # fmt: skip
RECORD = {
    "command": "python -m attention_book train en-xx", "parameters": 1234, "pairs": {"train": 99}, "tokens": 5,
    "settings": {"seed": 3}, "training_seconds": 60.0, "machine": {"processor": "P", "cores": 4, "threads": 1},
    "versions": {"torch": "2"}, "date": "2026-01-02",
}  # fmt: skip


@pytest.fixture
def book(tmp_path, monkeypatch):
    """One experiment, one model whose record alone is kept, one shipped model, and a page that reads all three."""
    monkeypatch.setitem(KIND_OF, "coin", "statistics")
    written = {"results/coin.json": RESULT, "results/real/en-xx.json": RECORD, "pretrained/en-yy/results.json": RECORD}
    for name, content in written.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    page(tmp_path, 'experiments.read("coin")\nrecorded("en-xx")\nTranslator.from_pretrained(\n    "en-yy"\n)')
    return tmp_path


def page(book, code, name="some/page"):
    path = book / "chapters" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# A page\n\n```{{code-cell}} ipython3\n{code}\n```\n", encoding="utf-8")
    return path


def runs_of(book):
    return on_record(book / "results", book / "pretrained")


def read_in(book):
    return readers(sorted((book / "chapters").rglob("*.md")))


def spoil(path, **changes):
    content = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps({name: x for name, x in content.items() if x is not ...}), encoding="utf-8")


def test_the_record_of_the_book_is_whole():
    runs = on_record()
    found = faults(runs, readers(PAGES))
    assert not found, "\n".join(found)
    assert {run.name for run in runs} >= {"en-es", *experiments.names()}


def test_every_experiment_has_a_kind_and_no_kind_is_of_nothing():
    assert KIND_OF.keys() == set(experiments.names())
    assert set(KIND_OF.values()) == set(KINDS)


def test_an_experiment_that_trains_nothing_is_no_mechanism_and_the_others_are():
    """What the experiments' own code says, against the mapping: the corpus and the translator that they name."""
    for path in experiments.results_folder().glob("*.json"):
        result = experiments.read(path.stem)
        configuration = result["configuration"]
        trained = result["tokens"] > 0 or "learning_rate" in configuration  # on images there are no tokens
        if not trained and {"model", "translator", "systems"} & configuration.keys():
            expected = "shipped"
        elif "tatoeba" in json.dumps(configuration):
            expected = "real"
        else:
            expected = "mechanism" if trained else "statistics"
        assert KIND_OF[path.stem] == expected, path.stem


def test_a_run_is_told_with_all_that_is_known(book):
    coin, kept, shipped = runs_of(book)
    assert coin == Run(
        "coin", "results/coin.json", "statistics", "Which side is up?", RESULT["command"], ("1", "2"), 10, 7200.0,
        RESULT["machine"], RESULT["versions"], "2026-01-02", "0123456789abcdef",
    )  # fmt: skip
    assert (kept.name, kept.file, kept.kind, kept.seeds) == ("en-xx", "results/real/en-xx.json", "real", ("3",))
    assert "1,234 parameters" in kept.question and "99 pairs" in kept.question
    assert (shipped.name, shipped.seconds, shipped.digest) == ("en-yy", 60.0, None)
    assert faults(runs_of(book), read_in(book)) == []


@pytest.mark.parametrize("name", ["question", "command", "seeds", "seconds", "machine", "versions", "date"])
def test_a_run_that_lacks_something_is_found(book, name):
    for missing in (..., type(RESULT[name])()):  # not there, or there and empty
        spoil(book / "results/coin.json", **{name: missing})
        (fault,) = faults(runs_of(book), read_in(book))
        assert fault == f"results/coin.json has no {name}"


def test_a_model_without_a_command_and_an_experiment_without_a_digest_are_found(book):
    spoil(book / "results/real/en-xx.json", command=...)
    spoil(book / "results/coin.json", code_digest=...)
    assert faults(runs_of(book), read_in(book)) == [
        "results/coin.json has no code_digest",
        "results/real/en-xx.json has no command",
    ]


def test_an_interrupted_run_is_found(book, monkeypatch):
    monkeypatch.setattr(experiments, "names", lambda: ["coin"])
    monkeypatch.setattr(experiments, "missing_seeds", lambda name, seeds: sorted({"1", "2", "3", "4"} - set(seeds)))
    assert faults(runs_of(book), read_in(book)) == [
        "results/coin.json lacks seed 3, 4: run `python -m attention_book experiment coin --resume`"
    ]


def test_a_run_that_no_page_reads_is_found(book):
    page(book, 'read("coin")  # and nothing of the models')
    assert faults(runs_of(book), read_in(book)) == [
        "results/real/en-xx.json is read by no page",
        "src/attention_book/pretrained/en-yy/results.json is read by no page",
    ]


def test_a_run_of_an_unknown_kind_is_found(book, monkeypatch):
    monkeypatch.setitem(KIND_OF, "coin", "mechanics")
    (fault,) = faults(runs_of(book), read_in(book))
    assert fault.startswith("results/coin.json is of no kind: add 'coin' to KIND_OF")
    monkeypatch.delitem(KIND_OF, "coin")
    assert faults(runs_of(book), read_in(book)) == [fault]


def test_pages_are_found_by_what_their_cells_ask_for(book):
    path = page(book, "x = experiments.read('coin')", "else/where")
    path.write_text(path.read_text(encoding="utf-8") + '\nProse may say `read("en-xx")`.\n', encoding="utf-8")
    assert read_in(book) == {"coin": ["else/where", "some/page"], "en-xx": ["some/page"], "en-yy": ["some/page"]}


def test_an_explorer_reads_for_its_page(book):
    page(book, "from attention_book.pages.explorers.alignments import Alignments\n\nAlignments()")
    assert read_in(book) == {"en-es-rnn-attention": ["some/page"]}


def test_the_book_s_readers_are_those_that_a_search_by_hand_finds():
    found = readers(PAGES)
    assert found["cheating-decoder"] == ["appendix/claims", "attention/what-the-mask-buys"]
    assert found["one-pass"] == ["attention/what-the-mask-buys"]
    assert {"index", "before/tour"} < set(found["en-es"])
    assert measurements.titles(PAGES)["attention/masks"] == "Masks"


def test_core_hours_count_threads(book):
    assert core_hours(runs_of(book)) == pytest.approx(2 * 2 + 2 / 60)


def test_a_record_is_read_by_name(book):
    folders = book / "results", book / "pretrained"
    assert recorded("en-xx", *folders) == recorded("en-yy", *folders) == RECORD
    with pytest.raises(FileNotFoundError, match="no record of a model 'en-zz'; there are: en-xx, en-yy"):
        recorded("en-zz", *folders)
    assert recorded("en-es")["preset"] == "small"


def test_a_block_names_every_field_links_its_pages_and_stays_text(book):
    spoil(book / "results/coin.json", question="Is 1 < 2?")
    shown = measurements.as_html(runs_of(book), read_in(book), {"some/page": "A & B"})
    assert shown.count('<div class="run"') == 3 and 'id="run-coin"' in shown
    for text in ("Is 1 &lt; 2?", RESULT["command"], "1, 2<", "10 learned from", "2 h 0 min", "4 cores of P, 2 threads",
                 "2026-01-02", "0123456789abcdef", '<a href="../some/page.html">A &amp; B</a>',
                 "3 (one: no spread is known)", "the weights are on record", "the weights are not kept"):  # fmt: skip
        assert text in shown, text


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(7.9, "8 s"), (89, "89 s"), (90, "2 min"), (3540, "59 min"), (3599, "1 h 0 min"), (6116.8, "1 h 42 min")],
)
def test_durations_are_told_in_minutes(seconds, told):
    assert measurements.duration(seconds) == told
