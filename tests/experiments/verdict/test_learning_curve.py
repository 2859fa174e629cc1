"""The learning curve: when training stops, what is kept, and a tiny run whose sums are made again."""

import json

import pytest
import torch
from sacrebleu.metrics import BLEU, CHRF

from attention_book.counting.text import CountingTranslator
from attention_book.data import corpora
from attention_book.data.normalisation import Pair
from attention_book.data.subwords import Subwords
from attention_book.experiments.verdict import learning_curve as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.training.trainer import TrainingSettings
from attention_book.translation.evaluation import bleu_and_chrf
from attention_book.translation.translator import Translator

TRAIN = tuple(Pair(f"I see {n} cats.", f"Veo {n} gatos.", (f"Veo {n} gatos.",)) for n in range(40))
TEST = (Pair("I see dogs.", "Veo perros.", ("Veo perros.",)), Pair("I see 3.", "Veo 3.", ("Veo 3.", "Los veo.")))
SETTINGS = TrainingSettings(tokens=200, tokens_per_batch=8, validate_every=8)
ENCODED = [([3, 4], [5, 6, 7])] * 10


def tiny(vocab_size=10):
    torch.manual_seed(0)
    return Transformer(TransformerConfig.tiny(vocab_size, d_model=8, n_heads=2, n_layers=1, d_ff=8))


@pytest.mark.parametrize(
    ("scores", "validations", "best"),
    [([1, 2, 3, 2, 3, 3, 9], 6, 3), ([5, 1, 1, 1], 4, 1), ([0, 0, 0, 0], 4, 1), ([1, 0, 0, 2, 0, 0, 0], 7, 4)],
)
def test_training_stops_when_the_score_has_not_risen_three_times_and_the_best_weights_are_kept(
    scores, validations, best
):
    model, seen = tiny(), []

    def validate(model):
        seen.append((model.output.weight.detach().clone(), model.decoder.layers[0].state_dict()))
        return {"validation_chrf": float(scores[len(seen) - 1])}

    trainer, kept = experiment.train_until_no_better(model, ENCODED, validate, SETTINGS, patience=3)
    assert len(seen) == validations
    assert kept.chrf == scores[best - 1] and kept.tokens == trainer.curve[best - 1]["tokens"]
    assert torch.equal(kept.weights["output.weight"], seen[best - 1][0])
    assert torch.equal(model.output.weight, seen[-1][0]) and not torch.equal(seen[-1][0], seen[best - 1][0])


def test_a_score_that_goes_on_rising_uses_up_the_budget():
    rising = iter(range(1000))
    trainer, kept = experiment.train_until_no_better(
        tiny(), ENCODED, lambda model: {"validation_chrf": float(next(rising))}, SETTINGS, patience=1
    )
    assert trainer.tokens >= SETTINGS.tokens and kept.tokens == trainer.tokens


@pytest.fixture(scope="module")
def subwords():
    return Subwords.train((text for pair in TRAIN for text in (pair.source, pair.target)), 270)


def test_greedy_texts_are_those_of_the_translator(subwords):
    model = tiny(len(subwords)).eval()
    sentences = ["I see 3 cats.", "I", "I see 31 cats, and I see cats.", "cats"]
    found = experiment.greedy_texts(model, subwords, subwords, sentences, rows=3)
    outcomes = Translator(model, subwords).translate_each(sentences, beam_size=1, split=False)
    assert [text.strip() for text in found] == [outcome.text for outcome in outcomes]


def test_scores_are_those_of_sacrebleu_and_their_intervals_are_of_the_order_that_halves_give():
    texts = ["Veo perros.", "Los veo"] * 20
    pairs = TEST * 20
    streams = [[p.references[0] for p in pairs], [p.references[1] if len(p.references) > 1 else None for p in pairs]]
    found = experiment.scored(texts, pairs, 100)
    assert found["bleu"] == pytest.approx(BLEU().corpus_score(texts, streams).score)
    assert found["chrf"] == pytest.approx(CHRF().corpus_score(texts, streams).score)
    same = experiment.scored(["Veo perros."] * 20, TEST[:1] * 20, 100)
    assert same["chrf_half_width"] == pytest.approx(0, abs=1e-6) and 0 < found["chrf_half_width"] < 20


def test_a_smaller_draw_is_the_beginning_of_a_larger_one_and_seeds_differ():
    few, more = experiment.drawn_pairs(TRAIN, 5, 1), experiment.drawn_pairs(TRAIN, 20, 1)
    assert more[:5] == few and len(set(more)) == 20
    assert set(experiment.drawn_pairs(TRAIN, "all", 1)) == set(TRAIN)
    assert experiment.drawn_pairs(TRAIN, 20, 2) != more
    with pytest.raises(ValueError, match="41 pairs are asked for, and there are 40"):
        experiment.drawn_pairs(TRAIN, 41, 1)


@pytest.fixture(scope="module")
def run():
    """A tiny configuration, and what a run of it found, twice."""
    models = {
        "RNN with attention": {"family": "recurrent", "d_embedding": 8, "encoder_width": 4, "decoder_width": 8},
        "Transformer": {"family": "transformer", "d_model": 8, "n_heads": 2, "n_layers": 1, "d_ff": 8},
    }
    training = {"tokens": 900, "tokens_per_batch": 200, "peak_rate": 1e-2, "smoothing": 0.1, "validate_every": 300}
    small = {
        "sizes": [10, 20, "all"],
        "trained": [10, "all"],
        "vocabulary": 270,
        "validated": 2,
        "translated": 2,
        "bootstrap": 5,
    }
    configuration = experiment.CONFIGURATION | {"corpus": "made-up", "models": models, "training": training} | small
    with pytest.MonkeyPatch.context() as patch:
        corpus = corpora.Corpus("made-up", TRAIN, TEST, TEST, "en", "es", "")
        patch.setattr(corpora, "load", lambda name: corpus)
        experiment.shared_subwords.cache_clear()
        yield configuration, experiment.run_seed(1, configuration), experiment.run_seed(1, configuration)
    experiment.shared_subwords.cache_clear()


def test_a_run_repeats_itself_and_has_a_point_of_each_family_and_size(run):
    configuration, found, again = run
    assert json.loads(json.dumps(found)) == found
    for one, other in zip(found["points"].values(), again["points"].values(), strict=True):
        assert [{**p, "seconds": 0} for p in one.values()] == [{**p, "seconds": 0} for p in other.values()]
    for name in configuration["models"]:
        assert list(found["points"][name]) == ["10", "all"]
    for name in (experiment.COUNTING, experiment.MEMORY):
        assert list(found["points"][name]) == ["10", "20", "all"]


def test_the_tokens_are_those_of_both_networks_and_counting_reads_the_drawn_pairs(run):
    configuration, _, found = run
    translator = CountingTranslator([(p.source, p.target) for p in experiment.drawn_pairs(TRAIN, 20, 1)])
    texts = translator.translate([pair.source for pair in TEST])
    scores = bleu_and_chrf(texts, [pair.references for pair in TEST])
    assert found["points"][experiment.COUNTING]["20"]["chrf"] == scores.chrf
    trained = [p for name in configuration["models"] for p in found["points"][name].values()]
    assert found["tokens"] == sum(p["tokens"] for p in trained) and found["sentences"] == len(TEST)


def test_a_point_says_when_it_was_best_and_when_its_loss_was_lowest(run, subwords):
    _, found, _ = run
    a_pass = sum(len(ids) + 1 for ids in subwords.encode_batch(pair.target for pair in TRAIN))
    for name in ("RNN with attention", "Transformer"):
        point = found["points"][name]["all"]
        tokens, _, losses, scores = zip(*point["curve"], strict=True)
        assert point["best_tokens"] == tokens[scores.index(max(scores))]
        assert point["lowest_tokens"] == tokens[losses.index(min(losses))]
        assert point["pairs"] == 40 and point["a_pass"] == a_pass
        assert point["tokens"] == tokens[-1] and point["stopped"] == (tokens[-1] < 900)
