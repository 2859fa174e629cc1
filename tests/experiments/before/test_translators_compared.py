"""Translators side by side: on made-up translations whose order is known."""

import json

import pytest
from sacrebleu.metrics import BLEU

from attention_book.data import corpora
from attention_book.data.corpora import Corpus
from attention_book.experiments.before import translators_compared
from attention_book.translation import translator
from attention_book.translation.evaluation import bleu_and_chrf

from ..made_up_translations import BAD, half_right, made_up_pairs

PAIRS = made_up_pairs([4, 5, 6, 7, 8, 9, 10] * 4)
RIGHT = [pair.target for pair in PAIRS]
HALF = half_right(RIGHT)
OTHER = [RIGHT[i] if text != RIGHT[i] else BAD for i, text in enumerate(HALF)]
WRONG = [BAD] * len(PAIRS)


def test_the_paired_bootstrap_is_sacrebleus_and_tells_who_is_better_and_by_chance_or_not():
    found = translators_compared.paired({"right": RIGHT, "half": HALF, "other": OTHER}, PAIRS, "half", 200)
    assert found["half"]["bleu_mean"] < found["right"]["bleu_mean"]
    assert found["right"]["bleu_p"] < 0.05 < found["other"]["bleu_p"]
    assert "bleu_p" not in found["half"]
    alone = BLEU().corpus_score(HALF, [[pair.target for pair in PAIRS]], n_bootstrap=200)
    assert found["half"]["bleu_mean"] == pytest.approx(alone._mean, abs=2)
    assert found["half"]["bleu_half_width"] == pytest.approx(alone._ci, rel=0.5)


def test_groups_of_length_are_scored_apart():
    longer = [text if len(pair.source.split()) > 8 else "mal." for text, pair in zip(RIGHT, PAIRS, strict=True)]
    found = translators_compared.by_length(longer, PAIRS, {"short": [1, 8], "long": [9, 99], "none": [100, 200]})
    assert set(found) == {"short", "long"}
    assert found["short"]["sentences"] + found["long"]["sentences"] == len(PAIRS)
    assert found["long"]["bleu"] == pytest.approx(100)
    assert found["short"]["bleu"] < 1


def test_a_run_that_is_not_there_says_how_to_make_it(tmp_path, monkeypatch):
    monkeypatch.setattr(translators_compared, "user_cache_path", lambda name: tmp_path)
    with pytest.raises(FileNotFoundError, match="--preset rnn"):
        translators_compared.folder_of("runs/en-es-rnn-seed1/translator")
    (tmp_path / "runs" / "x").mkdir(parents=True)
    assert translators_compared.folder_of("runs/x") == tmp_path / "runs" / "x"
    assert translators_compared.folder_of("en-es") == "en-es"


def test_a_run_holds_the_scores_of_every_system(monkeypatch):
    class Made:
        def __init__(self, texts):
            self.texts = texts
            self.results = {"command": "python -m attention_book train …", "parameters": 5, "tokens": 7}

        def translate(self, texts, *, beam_size, length_penalty):
            assert texts == [pair.source for pair in PAIRS]
            return self.texts

    made = {"with": Made(HALF), "without": Made(WRONG)}
    monkeypatch.setattr(corpora, "load", lambda name: Corpus(name, (), (), tuple(PAIRS), "en", "es", "a" * 64))
    monkeypatch.setattr(translator.Translator, "from_pretrained", classmethod(lambda cls, name: made[name]))
    configuration = {
        **translators_compared.CONFIGURATION,
        "systems": {"attention": "with", "none": "without"},
        "baseline": "attention",
        "bootstrap": 50,
    }
    found = translators_compared.run_seed(0, configuration)
    assert json.loads(json.dumps(found)) == found  # what sacreBLEU gives are numbers of NumPy
    assert found["sentences"] == len(PAIRS)
    assert found["systems"]["attention"]["bleu"] == bleu_and_chrf(HALF, [pair.references for pair in PAIRS]).bleu
    assert found["systems"]["none"]["bleu_p"] < 0.05
    assert found["systems"]["none"]["trained_tokens"] == 7
