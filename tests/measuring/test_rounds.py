"""The harness of the benchmarks, with contenders that only pretend."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import decoding
from benchmarks.contenders import absent
from benchmarks.rounds import Contender, in_rounds, measured_together, rate, share_of_equal, write

FAKE = str(Path(__file__).parent / "fake_contender.py")


@pytest.fixture
def contenders():
    started = [Contender(name, [sys.executable, FAKE, name]) for name in ("same", "other")]
    yield started
    for one in started:
        one.close()


def test_every_round_asks_each_once_and_the_first_is_thrown_away(contenders):
    found = in_rounds(contenders, {"batch": 9}, 3)
    assert {name: [one["seconds"] for one in answers] for name, answers in found.items()} == {
        "same": [2.0, 3.0, 4.0],
        "other": [2.0, 3.0, 4.0],
    }
    assert found["same"][0]["outputs"] == [[9, 9, 9], [7]]


def test_rates_are_tokens_over_seconds():
    answers = [{"seconds": seconds, "wall": 8.0, "outputs": [[1, 2, 3], [4]]} for seconds in (1.0, 4.0, 2.0)]
    assert rate(answers, "seconds") == {"median": 2.0, "least": 1.0, "most": 4.0}
    assert rate(answers, "wall")["median"] == 0.5


def test_outputs_are_compared_sentence_by_sentence():
    assert share_of_equal([[1], [2, 3], [4], []], [[1], [2], [4], []]) == 0.75
    with pytest.raises(ValueError, match="1 outputs cannot be compared with 2"):
        share_of_equal([[1]], [[1], [2]])


def test_who_is_missing_says_so_and_who_breaks_is_named():
    one = Contender("absent", [sys.executable, FAKE, "missing"])
    one.close()
    assert one.missing == "not installed: get it"
    with pytest.raises(RuntimeError, match="broken one ended with exit status 0"):
        Contender("broken one", [sys.executable, FAKE, "broken"])


def test_those_that_are_there_are_measured_and_all_end(tmp_path, capsys):
    seen = []

    def measure(there):
        seen.extend(there)
        return in_rounds(there, {"batch": 2}, 1)

    commands = {name: [sys.executable, FAKE, name] for name in ("same", "missing", "other")}
    found, circumstances = measured_together(commands, measure)
    assert list(found) == [one.name for one in seen] == ["same", "other"]
    assert all(one.process.returncode == 0 for one in seen)
    assert circumstances["missing"] == {"missing": "not installed: get it"} and circumstances["versions"]["fake"] == "1"
    write(tmp_path / "new" / "record.json", {"found": found, **circumstances})
    assert json.loads((tmp_path / "new" / "record.json").read_text())["found"]["same"][0]["outputs"] == [[2] * 3, [7]]
    said = capsys.readouterr().out
    assert "missing: not installed: get it" in said and "record.json; load " in said


def test_a_table_compares_with_the_readable_search_and_with_ctranslate2(contenders, monkeypatch):
    monkeypatch.setattr(decoding, "READABLE", "same")
    monkeypatch.setattr(decoding, "MARK", "other")
    lines = []
    tables = decoding.measured(contenders, 2, lines.append)
    assert [(one["batch"], one["beam"]) for one in tables] == [(1, 1), (64, 1), (1, 4), (64, 4)]
    rows = tables[0]["contenders"]
    assert rows["same"]["equal"] == 1 and rows["other"]["equal"] == 0.5
    assert rows["same"]["ratio"] == rows["other"]["ratio"] == 1
    assert rows["same"]["processor"]["most"] == 2.0 and rows["same"]["wall"]["most"] == 1.0
    assert "batch 64, beam 4" in lines[3] and "equal 50.0%" in lines[3]


def test_a_peer_that_is_not_there_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert absent("joeynmt").startswith("not installed: pip install --no-deps joeynmt")
    assert absent("hugging-face") == "not installed: pip install -r benchmarks/requirements.txt"
    assert "--annotated" in absent("annotated") and absent("annotated", "folder") is None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert absent("joeynmt") is None
