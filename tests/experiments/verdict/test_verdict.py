"""The verdict, on made-up systems whose order, leads and losses are known."""

import json
from collections import Counter

import pytest

from attention_book.data import corpora
from attention_book.data.corpora import Corpus
from attention_book.data.normalisation import Pair
from attention_book.experiments.verdict import verdict
from attention_book.translation.evaluation import bleu_and_chrf

from ..made_up_translations import BAD, half_right, made_up_pairs

PAIRS = made_up_pairs([3, 5, 6, 7, 8, 9, 10] * 4)
RIGHT = [pair.target for pair in PAIRS]
HALF = half_right(RIGHT)
WRONG = [BAD] * len(PAIRS)


class Made:
    """A translator that knows its answers."""

    def __init__(self, texts):
        self.answers = dict(zip([pair.source for pair in PAIRS], texts, strict=True))

    def translate(self, texts, **search):
        return [self.answers[text] for text in texts]


@pytest.fixture
def found(monkeypatch):
    """What a run measures of three systems: the winner is right on every second sentence."""
    made = {"counting": WRONG, "Transformer": HALF, "Apertium": RIGHT}
    train = (Pair("a", "uno dos uno.", ("uno dos uno.",)),)
    monkeypatch.setattr(corpora, "load", lambda name: Corpus(name, train, (), tuple(PAIRS), "en", "es", "a" * 64))
    monkeypatch.setattr(verdict, "load", lambda system, pairs: (Made(made[system["name"]]), {"by": system["kind"]}))
    systems = {name: {"kind": "model", "name": name} for name in made}
    systems["Apertium"] |= {"kind": "Apertium"}
    speed = {"sentences": 8, "batches": [1, 4], "rounds": 1}
    return verdict.run_seed(0, verdict.CONFIGURATION | {"systems": systems, "bootstrap": 100, "speed": speed})


def test_a_run_scores_every_system_and_every_pair_of_them(found):
    assert json.loads(json.dumps(found)) == found
    systems = found["systems"]
    assert systems["Transformer"]["bleu"] == bleu_and_chrf(HALF, [pair.references for pair in PAIRS]).bleu
    assert [entry["exact"] for entry in systems.values()] == [0, len(PAIRS) // 2, len(PAIRS)]
    assert {frozenset(test[:2]) for test in found["pairs"]} == {
        frozenset(two) for two in (("counting", "Transformer"), ("counting", "Apertium"), ("Transformer", "Apertium"))
    }
    assert all(p == pytest.approx(1 / 101) for test in found["pairs"] for p in test[2:])
    assert all(entry["bleu_half_width"] >= 0 and "bleu_p" not in entry for entry in systems.values())
    assert systems["Apertium"]["bleu_mean"] > systems["Transformer"]["bleu_mean"] > systems["counting"]["bleu_mean"]


def test_a_run_says_who_is_ahead_of_the_winner_and_where(found):
    rules = found["systems"]["Apertium"]["against_winner"]
    assert (rules["ahead"], rules["level"], rules["behind"]) == (14, 14, 0) == (rules["clearly_ahead"], 14, 0)
    assert set(rules["most"]) < set(range(0, len(PAIRS), 2)) and len(rules["most"]) == 5
    assert sum(group["clearly_ahead"] for group in rules["by_length"].values()) == 14
    counted = found["systems"]["counting"]["against_winner"]
    assert (counted["ahead"], counted["clearly_behind"]) == (0, 14)
    assert found["best_of_the_others"] == 14
    assert "against_winner" not in found["systems"]["Transformer"]


def test_a_run_has_lengths_words_and_speed(found):
    entry = found["systems"]["Apertium"]
    assert sum(group["sentences"] for group in entry["by_length"].values()) == len(PAIRS)
    assert all(group["bleu"] == pytest.approx(100) for group in entry["by_length"].values())
    assert all(group["bleu_half_width"] == pytest.approx(0, abs=1e-6) for group in entry["by_length"].values())
    words = [set(pair.target.strip(".").split()) for pair in PAIRS]
    seen = entry["recall"]["1–5"]  # training has uno twice and dos once
    assert seen["words"] == seen["found"] == sum(len(one & {"uno", "dos"}) for one in words)
    assert entry["recall"]["never"]["words"] == sum(len(one - {"uno", "dos"}) for one in words)
    assert found["systems"]["counting"]["recall"]["never"]["found"] == 0
    assert [(one["batch"], one["sentences"]) for one in entry["speed"]] == [(1, 8), (4, 8)]


def test_speed_hands_over_batches_and_takes_the_best_round(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 12.0])
    monkeypatch.setattr(verdict, "cpu_seconds", lambda: next(clock))
    sizes = []
    told = verdict.speed(lambda texts: sizes.append(len(texts)), ["a"] * 7, 3, 2)
    assert sizes == [3, 3, 1] * 2 and told == {"batch": 3, "sentences": 7, "seconds": 2.0, "slowest": 5.0}


def test_processor_time_grows_with_work_of_ones_own_and_of_programs_called():
    import subprocess
    import sys

    began = verdict.cpu_seconds()
    subprocess.run([sys.executable, "-c", "sum(range(30_000_000))"], check=True)
    assert verdict.cpu_seconds() - began > 0.05


def test_a_lead_is_counted_by_sentence_and_by_length():
    leads = [20.0, 5.0, 0.0, -5.0, -10.0, 10.0]
    pairs = [Pair("one two", "a", ("a",))] * 3 + [Pair("one two three four five", "a", ("a",))] * 3
    told = verdict.sentence_by_sentence([50 + d for d in leads], [50.0] * 6, pairs, verdict.CONFIGURATION)
    assert (told["ahead"], told["level"], told["behind"]) == (3, 1, 2)
    assert (told["clearly_ahead"], told["clearly_behind"]) == (2, 1)
    assert told["by_length"] == {
        "1–4": {"sentences": 3, "clearly_ahead": 1, "clearly_behind": 0},
        "5–6": {"sentences": 3, "clearly_ahead": 1, "clearly_behind": 1},
    }
    assert told["most"] == [0, 5, 1, 2, 3]


def test_counting_counts_in_the_pairs_and_a_missing_run_says_how_to_make_it(tmp_path, monkeypatch):
    chosen = {"kind": "counting", "order": 2, "rounds": 2, "least_count": 1, "choices": 2, "beam_size": 2}
    system, made = verdict.load(chosen, [Pair("cats sleep.", "gatos duermen.", ()), Pair("cats.", "gatos.", ())] * 2)
    assert system.translate(["cats."], beam_size=4, length_penalty=0.6) == ["Gatos."]
    assert made["training_seconds_of"] == "processor" and made["training_seconds"] >= 0
    monkeypatch.setattr(verdict, "user_cache_path", lambda name: tmp_path)
    missing = verdict.CONFIGURATION["systems"]["Transformer"]
    with pytest.raises(FileNotFoundError, match="--preset small --tokens 8000000"):
        verdict.load(missing, [])
    (tmp_path / missing["at"]).mkdir(parents=True)
    assert verdict.folder_of(missing) == tmp_path / missing["at"]
    assert verdict.folder_of({"at": "en-es"}) == "en-es"


def test_a_shipped_model_says_how_it_was_made():
    translator, made = verdict.load(verdict.CONFIGURATION["systems"]["shipped"], [])
    assert json.loads(json.dumps(made)) == made
    assert made["tokens"] > 8_000_000 and made["command"].startswith("python -m attention_book train en-es")
    assert "precision" in made["settings"] and made["epochs"] > 1 and made["pairs"]["train"] > 50_000
    assert made["training_seconds_of"] == "wall clock" and made["parameters"] == sum(
        p.numel() for p in translator.model.parameters()
    )


def test_the_neural_rows_have_one_budget_and_one_recipe_but_for_the_model():
    commands = [s["made_by"] for s in verdict.CONFIGURATION["systems"].values() if "made_by" in s]
    assert len(commands) == 3
    assert Counter(command.split("--preset ")[1].split()[0] for command in commands).most_common(1)[0][1] == 1
    assert len({command.split("--tokens ")[1] for command in commands}) == 1
