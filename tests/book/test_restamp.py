"""Restamping results: only with proof that what an experiment reaches computes the same."""

import json

import pytest
import restamp

from attention_book.provenance.definitions import Definitions
from attention_book.provenance.source_graph import SourceGraph

HELPER = "def helper(x):\n    return x + 1\n\n\ndef other():\n    return 2\n"
EXPERIMENT = "from {} import helper\n\nCONFIGURATION, SEEDS = 1, 2\n\n\ndef run_seed(s, c):\n    return helper(s)\n"


def book(folder, room, helper=HELPER):
    """A book with one experiment, in the folder ``room`` of the experiments, and a result of it."""
    package = folder / "src" / "package"
    place = package / "experiments" / room
    place.mkdir(parents=True)
    for one in {package, package / "experiments", place}:
        (one / "__init__.py").touch()
    (package / f"helpers{room}.py").write_text(helper)
    (place / "coin_toss.py").write_text(EXPERIMENT.format(f"package.helpers{room}"))
    (folder / "results").mkdir()
    (folder / "results" / "coin-toss.json").write_text('{\n "up": 1,\n "code_digest": "0123456789abcdef"\n}\n')
    return folder


def restamped(tmp_path, monkeypatch, helper=HELPER, known="0123456789abcdef", up=1):
    before, after = book(tmp_path / "a", ""), book(tmp_path / "b", "toys", helper)
    path = after / "results" / "coin-toss.json"
    path.write_text(path.read_text().replace('"up": 1', f'"up": {up}'))
    monkeypatch.setattr(restamp, "digests_at", lambda folder: {"coin-toss": known})
    refused = restamp.restamp(after, before)
    return refused, json.loads(path.read_text()), Definitions(SourceGraph(after / "src"))


def test_a_move_is_restamped_with_proof(tmp_path, monkeypatch, capsys):
    refused, result, new = restamped(tmp_path, monkeypatch, HELPER.replace("return 2", "return 3"))
    reach = new.of("package.experiments.toys.coin_toss", *restamp.ENTRIES)
    assert refused == []
    assert result == {"up": 1, "code_digest": new.digest(reach)}
    assert "coin-toss: 4 definitions compared, equal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"helper": HELPER.replace("x + 1", "x - 1")}, "package.helpers.helper is not package.helperstoys.helper"),
        ({"known": "f" * 16}, "stale already"),
        ({"up": 2}, "not the result of that revision"),
    ],
)
def test_nothing_is_restamped_without_proof(tmp_path, monkeypatch, capsys, given, why):
    refused, result, _ = restamped(tmp_path, monkeypatch, **given)
    assert refused == ["coin-toss"]
    assert result["code_digest"] == "0123456789abcdef"
    assert why in capsys.readouterr().out


@pytest.mark.parametrize(
    ("helper", "refused", "why"),
    [
        (HELPER.replace("x + 1", "1 + x"), [], "run with both codes: all numbers are equal; "),
        (HELPER.replace("x + 1", "x - 1"), ["coin-toss"], "run with both codes: they differ: NOT restamped"),
    ],
)
def test_a_changed_computation_is_restamped_if_both_codes_give_the_same(
    tmp_path, monkeypatch, capsys, helper, refused, why
):
    before, after = book(tmp_path / "a", ""), book(tmp_path / "b", "toys", helper)
    for folder in (before, after):
        for path in folder.rglob("coin_toss.py"):
            path.write_text(path.read_text().replace("SEEDS = 1, 2", "SEEDS = 1, (2, 3)"))
    monkeypatch.setattr(restamp, "digests_at", lambda folder: {"coin-toss": "0123456789abcdef"})
    assert restamp.restamp(after, before, "coin-toss", "a stand-in was run") == refused
    assert why in capsys.readouterr().out
    result = json.loads((after / "results" / "coin-toss.json").read_text())
    assert (
        (result["code_digest"] != "0123456789abcdef")
        == (result.get("restamped") == "a stand-in was run")
        == (not refused)
    )
    assert result["up"] == 1


def test_other_results_are_left_alone_when_one_is_run(tmp_path, monkeypatch):
    before, after = book(tmp_path / "a", ""), book(tmp_path / "b", "toys")
    monkeypatch.setattr(restamp, "digests_at", lambda folder: {"coin-toss": "0123456789abcdef"})
    assert restamp.restamp(after, before, "another", "") == []
    assert '"code_digest": "0123456789abcdef"' in (after / "results" / "coin-toss.json").read_text()
