"""All claims together: none is missing, each says where it is settled, and the command prints them."""

import ast
import json
import math
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from bs4 import BeautifulSoup
from typer.testing import CliRunner

from attention_book import claims
from attention_book.__main__ import app
from attention_book.claims import Claim, UnknownClaim, all_claims, decided, tables
from attention_book.pages import sections
from attention_book.provenance.source_graph import SourceGraph

IDS = [f"{kind}{n:02}" for kind, last in (("N", 15), ("F", 18), ("M", 18)) for n in range(1, last + 1)]
EVERY = all_claims()


def command(*arguments, columns=100):
    return CliRunner().invoke(app, ["claims", *arguments], env={"COLUMNS": str(columns)})


def finite(value):
    """Whether everything in a JSON-ready value is what JSON can hold, and no number is infinite or NaN."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and finite(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(finite, value))
    return value is None or type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value))


def test_every_row_is_there_and_in_order():
    assert [claim.id for claim in EVERY] == IDS


def test_an_answer_has_four_parts_and_survives_json(all_answers):
    assert list(all_answers) == IDS
    for name, answer in all_answers.items():
        assert list(answer) == ["verdict", "value", "why", "chapter"], name
        assert answer["verdict"] in tables.VERDICTS, name
        assert finite(answer["value"]), name
        assert json.loads(json.dumps(answer, allow_nan=False)) == answer, name
        assert answer["why"].endswith(".") and "\n" not in answer["why"], name


@pytest.mark.parametrize("claim", EVERY, ids=lambda claim: claim.id)
def test_a_claim_is_a_sentence_and_its_section_exists(claim):
    assert claim.claim.endswith(".") and "\n" not in claim.claim
    page, _, label = claim.chapter.partition("#")
    if page == sections.HERE:
        assert label == f"claim-{claim.id}"
    else:
        assert sections.section(claim.chapter)


def test_sections_are_named_by_title_and_heading():
    assert sections.section("attention/masks#masks") == "Masks"
    assert sections.section("attention/masks#masks-recipes") == "Masks: Four recipes for hiding a key"
    assert sections.section("attention/masks#ex-masks-table") == "Masks: Exercises"
    for nowhere in ("attention/nothing#x", "attention/masks#nothing", "attention/masks"):
        with pytest.raises(LookupError):
            sections.section(nowhere)


def test_some_claims_alone():
    assert list(decided(["N12", "N01"])) == ["N01", "N12"]
    assert decided([]) == {}
    with pytest.raises(UnknownClaim, match="no claim N16, X01; there are: N01, N02"):
        decided(["N01", "X01", "N16"])


def test_no_page_but_that_of_the_claims_takes_anything_from_them():
    chapters = Path(__file__).parents[2] / "chapters"
    theirs = [chapters / "appendix/claims.md", chapters / "appendix/solutions/claims.md"]
    taking = re.compile(r"attention_book\.claims\b|from attention_book import [^\n]*\bclaims\b")
    found = [path for path in sorted(chapters.rglob("*.md")) if taking.search(path.read_text(encoding="utf-8"))]
    assert found == theirs, "what a page shares with a claim belongs in analysis, examples or studies"


def test_two_claims_of_one_name_and_bad_names_are_refused(monkeypatch):
    from attention_book.claims.rows import counted_numbers

    n11 = counted_numbers.CLAIMS[0]
    monkeypatch.setattr(counted_numbers, "CLAIMS", (n11, n11))
    with pytest.raises(ValueError, match="same id: N11"):
        all_claims()
    bad = Claim("N1", n11.claim, n11.compute, n11.decide, n11.chapter)
    monkeypatch.setattr(counted_numbers, "CLAIMS", (bad,))
    with pytest.raises(ValueError, match="two digits, got N1"):
        all_claims()


def test_no_module_of_claims_is_left_out():
    modules = [import_module(found.name) for found in walk_packages(claims.__path__, f"{claims.__name__}.")]
    held = [claim.id for module in modules for claim in getattr(module, "CLAIMS", ())]
    assert sorted(held) == sorted(claim.id for claim in all_claims())


def test_a_page_that_asks_for_all_claims_is_known_to_run_every_module_of_claims():
    graph = SourceGraph(Path(claims.__file__).parents[2])
    holding = {
        name
        for name, tree in graph.parsed.items()
        if name.startswith("attention_book.claims.")
        and any(isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CLAIMS" for node in tree.body)
    }
    assert len(holding) > 5 and holding <= graph.closure(["attention_book.claims"])


def test_importing_the_claims_is_light():
    code = "import sys, attention_book.claims; print([m for m in ('numpy', 'torch', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_deciding_needs_no_drawing_and_no_notebook():
    code = (
        "import sys; from attention_book.claims import all_claims, tables; all_claims();"
        "print([m for m in ('matplotlib', 'IPython', 'ipywidgets', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_prints_json():
    result = command("N13", "N12", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    printed = json.loads(result.stdout)
    assert printed == decided(["N12", "N13"])
    assert printed["N13"]["value"][2] == [1 / 3] * 3  # full precision
    assert "−∞" in result.stdout  # written as it is, not as an escape


def test_the_command_prints_all_claims_as_json(monkeypatch, all_answers):
    monkeypatch.setattr(
        claims, "decided", lambda ids=None: all_answers if ids is None else pytest.fail("asked for some")
    )
    assert json.loads(command("--json").stdout) == all_answers
    table = command().stdout
    assert re.findall(r"^([NFM]\d\d)  ", table, re.M) == IDS
    assert table.rstrip().splitlines()[-1].startswith("51 claims: ")


def test_a_value_that_json_cannot_hold_is_an_error(monkeypatch):
    monkeypatch.setattr(claims, "decided", lambda ids=None: {"N01": {"value": math.nan}})
    result = command("--json")
    assert (result.exit_code, result.stdout) == (2, "") and result.stderr.startswith("error: ")


def test_an_unknown_claim_is_an_error():
    result = command("N01", "N77")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: no claim N77; there are: N01, ")


@pytest.mark.parametrize("columns", [30, 60, 76, 80, 140])
def test_the_table_fits_the_terminal_and_loses_no_word(columns):
    result = command("N01", "N05", "N12", columns=columns)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= max(columns, 40)
    assert lines[-1] == "3 claims: 1 right, 2 wrong"
    printed = set(" ".join(lines).split())
    for name, answer in decided(["N01", "N05", "N12"]).items():
        [claim] = [claim for claim in EVERY if claim.id == name]
        assert {name, answer["verdict"], *claim.claim.split(), *answer["why"].split()} <= printed


@pytest.mark.slow
def test_the_cards_of_the_page():
    page = BeautifulSoup(tables.as_html(EVERY, decided(["N01", "N12", "N15"])), "html.parser")
    cards = {card["id"]: card for card in page.select("ul.claims > li")}
    assert list(cards) == ["claim-N01", "claim-N12", "claim-N15"]
    assert [card["data-verdict"] for card in cards.values()] == ["wrong", "right", "misleading"]
    assert [card.strong.get_text() for card in cards.values()] == ["wrong", "right", "misleading"]
    assert cards["claim-N01"].p.a["href"] == "#claim-N01"
    assert "(2.718, 7.389, 22\u202f026.5, 4.85 · 10⁸)" in cards["claim-N01"].get_text()
    assert cards["claim-N12"].dl.get_text(" ") == "zeros 10 minus_inf 6"
    link = cards["claim-N12"].find_all("a")[-1]
    assert link["href"] == "../attention/masks.html#masks-softmax" and link.get_text().startswith("Masks: ")
    assert cards["claim-N15"].details and not cards["claim-N12"].details  # what is long waits to be opened


def test_a_card_that_no_chapter_settles_yet_does_not_lead_to_itself():
    claim = Claim("M99", "x < y.", lambda: 1, lambda value: ("right", "Because 1 < 2."), "appendix/claims#claim-M99")
    answer = {"verdict": "right", "value": 1, "why": "Because 1 < 2.", "chapter": claim.chapter}
    [card] = BeautifulSoup(tables.as_html([claim], {"M99": answer}), "html.parser").select("li")
    assert [a["href"] for a in card.find_all("a")] == ["#claim-M99"]
    assert "x < y." in card.get_text() and "Settled here" in card.get_text()


def test_a_long_value_that_stands_above_already_is_not_printed_twice():
    long = [Claim(f"M9{n}", "x", lambda: 0, lambda value: ("right", "y"), "appendix/claims#x") for n in (7, 8, 9)]
    answers = {
        claim.id: {"verdict": "right", "value": list(range(200)), "why": "y", "chapter": claim.chapter}
        for claim in long
    }
    answers["M99"]["value"] = list(range(201))
    cards = BeautifulSoup(tables.as_html(long, answers), "html.parser").select("li")
    assert [bool(card.details) for card in cards] == [True, False, True]
    assert "Computed as for M97." in cards[1].get_text() and cards[1].select("a")[1]["href"] == "#claim-M97"
    assert all(card.select_one(".claim-answer").p.get_text() == "y" and card["tabindex"] == "-1" for card in cards)


def test_the_filter_names_every_verdict_with_its_count():
    answers = {str(n): {"verdict": verdict} for n, verdict in enumerate(["right", "wrong", "wrong"])}
    page = BeautifulSoup(tables.filter_html(answers), "html.parser")
    assert [" ".join(label.get_text().split()) for label in page.select("label")] == [
        "all (3)", "right (1)", "wrong (2)", "misleading (0)", "unsupported (0)",
        "hide answers until I click a claim",
    ]  # fmt: skip
    assert [button["id"] for button in page.select("input[checked]")] == ["claims-shown-all"]
    assert page.fieldset.legend.get_text()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (64, "64"),
        (12345678, "12\u202f345\u202f678"),
        (1997, "1997"),
        (0.123456, "0.1235"),
        (2.0, "2"),
        (1234.567, "1\u202f234.6"),
        (4.5397e-5, "4.54 · 10⁻⁵"),
        (1e-4, "1 · 10⁻⁴"),
        (-2e6 - 0.5, "-2 · 10⁶"),
        (485165195.41, "4.85 · 10⁸"),
        (True, "yes"),
        (None, "none"),
        ("a < b", "a &lt; b"),
        ([1, 0.5], "(1, 0.5)"),
        ([0.99995, 0.1 + 0.2, 1 - 1e-15], "(0.99995, 0.3, 1)"),
        ([[1, 0], [0, 1]], '<div class="claim-row">(1, 0)</div><div class="claim-row">(0, 1)</div>'),
        ({"row_sum": 0.25, "row_sum_se": 0.0042}, "<dl><dt><code>row_sum</code></dt><dd>0.250 ± 0.004</dd></dl>"),
        ({"x": 12.5, "x_se": 3.0}, "<dl><dt><code>x</code></dt><dd>12 ± 3</dd></dl>"),
        ({"x": 4.75e-13, "x_se": 4.8e-14}, "<dl><dt><code>x</code></dt><dd>(4.8 ± 0.5) · 10⁻¹³</dd></dl>"),
        ({"x": 1.0, "x_se": 0.0}, "<dl><dt><code>x</code></dt><dd>1 ± 0</dd></dl>"),
    ],
)
def test_values_are_readable(value, text):
    assert tables.readable(value) == text


@pytest.mark.slow
def test_the_page_counts_claims_by_kind_and_verdict():
    answers = decided(["N01", "N12", "N15", "F04"])
    some = [claim for claim in EVERY if claim.id in answers]
    found = tables.numbers(some, answers)
    assert (found["n_claims"], found["N_all"], found["F_all"], found["M_all"]) == (4, 3, 1, 0)
    for verdict in tables.VERDICTS:
        assert found[verdict] == sum(found[f"{kind}_{verdict}"] for kind in "NFM")
        assert found[f"N_{verdict}"] == [answers[name]["verdict"] for name in ("N01", "N12", "N15")].count(verdict)


def test_every_claim_is_of_one_kind():
    assert sorted(claim.id for some in tables.of_kinds(EVERY).values() for claim in some) == sorted(c.id for c in EVERY)


def test_what_is_said_is_listed_without_a_verdict():
    page = BeautifulSoup(tables.said_html(EVERY, ["N12", "N01"]), "html.parser")
    assert [item.strong.text for item in page.select("li")] == ["N01", "N12"]
    assert page.select("li")[1].text == f"N12 {next(claim.claim for claim in EVERY if claim.id == 'N12')}"
