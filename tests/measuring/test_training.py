"""The benchmark of training, with contenders that only pretend, and the parts of the real ones that need no peer."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import trained_models, training
from benchmarks.rounds import Contender

FAKE = str(Path(__file__).parent / "fake_trained_model.py")


@pytest.fixture
def contenders():
    started = [Contender(name, [sys.executable, FAKE, name]) for name in (training.MARK, "slow")]
    yield started
    for one in started:
        one.close()


def test_a_table_has_rates_ratios_and_losses(contenders):
    rows = training.measured(contenders, 3, 5)
    ours, slow = rows[training.MARK], rows["slow"]
    assert ours["processor"] == {"median": 5.0, "least": 5.0, "most": 5.0} and ours["wall"]["median"] == 2.5
    assert (ours["ratio"], slow["ratio"]) == (1.0, 0.5)
    assert ours["loss"] == {"first": 8.0, "last": 5.5}, "the round that is thrown away began at 9"
    assert "ratio 0.50  8.00 to 5.50" in training.told(rows)


def test_batches_are_lists_of_ids_within_the_budget():
    encoded = [([5] * (number % 7 + 1), [6] * (number % 5 + 1)) for number in range(2000)]
    chosen = training.batches(encoded, 3)
    assert len(chosen) == 3
    for src, tgt_in, tgt_out in chosen:
        assert len(src) == len(tgt_in) == len(tgt_out)
        assert len(src) * max(len(src[0]), len(tgt_out[0])) <= training.TOKENS_PER_BATCH
        assert all(row[0] == trained_models.START for row in tgt_in)


def test_without_the_corpora_the_little_language_is_trained_on(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENTION_BOOK_DATA", str(tmp_path))
    monkeypatch.setattr("attention_book.data.corpora.load", unknown)
    encoded, corpus = training.encoded_pairs(pairs=10)
    assert corpus == "the little language" and len(encoded) == 10 and all(map(len, encoded[0]))


def unknown(name):
    from attention_book.data.corpora import CorpusError

    raise CorpusError(name)


PROGRAM = '''"""A program that must not run."""
import os, torch
import pandas as pd
from math import sqrt
from torchtext.vocab import nothing
raise SystemExit("it ran")
class Half(torch.nn.Module):
    def forward(self, x):
        return sqrt(x) * half()
def half():
    return 0.5
print(Half())
'''


def test_of_a_program_only_definitions_and_imports_of_torch_and_math_are_taken(tmp_path):
    path = tmp_path / "the_annotated_transformer.py"
    path.write_text(PROGRAM, encoding="utf-8")
    found = trained_models.definitions(path)
    assert found.Half()(16.0) == 2.0
    assert not {"os", "pd", "nothing"} & vars(found).keys()


def test_who_cannot_take_part_says_why(tmp_path):
    assert "--annotated" in trained_models.absent("annotated", None)
    assert "--annotated" in trained_models.absent("annotated", tmp_path)
    assert trained_models.absent("ours:float32", None) is None and trained_models.absent("torch", None) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ours:float32", "fast:float32", "torch"])
def test_a_contender_that_needs_no_peer_learns(name, tmp_path):
    path = tmp_path / "batches.json"
    path.write_text(json.dumps([[[[5, 6, 2]], [[1, 7]], [[7, 2]]]]), encoding="utf-8")
    one = Contender(name, [sys.executable, "-m", "benchmarks.trained_models", name, str(path)])
    answers = [one.ask({"steps": 1}) for _ in range(6)]
    one.close()
    assert one.missing is None and "torch" in one.versions
    assert answers[0]["tokens"] == 2 and answers[-1]["last"] < answers[0]["first"]
