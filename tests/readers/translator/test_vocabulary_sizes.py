"""What *How many subwords?* says of the three translators holds in the result on record."""

import math

import pytest
import torch

from attention_book.readers.translator.vocabulary_sizes import HEADER, VocabularySizes


@pytest.fixture
def made_up():
    """Three models; each has half the nats per character of the one before, and twice its text."""
    classes = {"never": [0, 0], "1–5": [1, 5], "6–50": [6, 50], "more": [51, 100]}

    def model(size, place):
        recall = {name: {"words": 100, "found": 10 * n + place} for n, name in enumerate(classes, start=1)}
        return {
            "parameters": 1_000_000 + 100 * size,
            "table": 100 * size,
            "tokens": 4_000_000,
            "passes": 1.5 * 2**place,
            "characters": 3_000_000 * 2**place,
            "loss_per_piece": 2.0,
            "bits_per_character": 2.0 / 2**place / math.log(2),
            "bleu": 10.0 + place,
            "chrf": 30.0 + place,
            "bleu_interval": {"mean": 10.0, "half_width": 0.5},
            "recall": recall,
        }

    models = {str(size): model(size, place) for place, size in enumerate((500, 2000, 8000))}
    setting = {"sizes": [8000, 500, 2000], "classes": classes, "bootstrap": 7}
    setting |= {"training": {"tokens": 4_000_000}, "model": {"d_model": 100, "n_layers": 3}}
    return VocabularySizes({"configuration": setting, "seeds": {"1": {"models": models, "examined": 1234}}})


def test_a_made_up_result_is_read_by_hand(made_up):
    assert list(made_up.models) == [500, 2000, 8000]
    assert made_up.rows()[0] == ("500", "1.50", "2.00", f"{2 / math.log(2):.2f}", "10.0 ± 0.5", "30.0")
    assert made_up.rows()[2] == ("8,000", "6.00", "2.00", f"{0.5 / math.log(2):.2f}", "12.0 ± 0.5", "32.0")
    assert {len(row) for row in made_up.rows()} == {len(HEADER)}
    assert made_up.recall(2000, "1–5") == 0.21
    half = 1.96 * math.sqrt(32 / 104 * 72 / 104 / 104)
    assert made_up.recall_interval(500, "6–50") == pytest.approx((32 / 104 - half, 32 / 104 + half))
    assert made_up.recall_header() == ["seen in training", "words", "500 pieces", "2,000 pieces", "8,000 pieces"]
    words, *shares = made_up.recall_rows()[1][1:]
    assert words == "100" and shares == ["20.0 % (13.3 to 29.0)", "21.0 % (14.1 to 30.1)", "22.0 % (15.0 to 31.2)"]


def test_the_numbers_of_a_made_up_result_are_those_counted_by_hand(made_up):
    numbers = made_up.numbers()
    assert (numbers["small"], numbers["middle"], numbers["large"]) == (500, 2000, 8000)
    assert numbers["budget"] == 4.0
    assert numbers["more_parameters"] == pytest.approx(1.8 / 1.05)
    assert numbers["small_rare"] == pytest.approx(20) and numbers["large_some"] == pytest.approx(32)
    assert numbers["large_share"] == pytest.approx(100 * 0.8 / 1.8) and numbers["n_translated"] == 1234


def test_the_three_models_had_equal_tokens_and_not_equal_text(runs):
    tokens = [model["tokens"] for model in runs.models.values()]
    assert max(tokens) < 1.001 * min(tokens)
    passes = [model["passes"] for model in runs.models.values()]
    assert passes == sorted(passes) and 1.9 < passes[-1] / passes[0] < 2 and passes[0] < 1 < 1.8 < passes[-1] < 2
    parameters = [model["parameters"] - model["table"] for model in runs.models.values()]
    assert len(set(parameters)) == 1


def test_the_loss_per_piece_has_the_opposite_order_of_everything_else(runs):
    def ordered(name):
        return sorted(runs.models, key=lambda size: runs.models[size][name])

    assert ordered("loss_per_piece") == ordered("bleu") == ordered("chrf") == [500, 2000, 8000]
    assert ordered("bits_per_character") == [8000, 2000, 500]


def test_no_two_intervals_of_bleu_overlap(runs):
    low, middle, high = ((m["bleu"], m["bleu_interval"]["half_width"]) for m in runs.models.values())
    assert low[0] + low[1] < middle[0] - middle[1] and middle[0] + middle[1] < high[0] - high[1]


def test_no_model_writes_the_rarest_words_and_the_large_vocabulary_leads_with_those_seen_more(runs):
    for name in ("never", "1–5"):
        assert all(runs.recall(size, name) < 0.025 for size in runs.models)
    assert runs.recall_interval(8000, "1–5")[0] < runs.recall_interval(500, "1–5")[1]
    for name in ("6–50", "more"):
        small, middle, large = (runs.recall_interval(size, name) for size in runs.models)
        assert small[1] < middle[0] and middle[1] < large[0]
    assert 4.5 < runs.recall(8000, "6–50") / runs.recall(500, "6–50") < 5.5


def test_none_found_has_a_spread_too(runs):
    low, high = runs.recall_interval(500, "never")
    assert runs.recall(500, "never") == low == 0
    # with none of n found, a share p goes unseen with probability (1 - p)^n, which is 5 % at about 3 / n
    assert 0.5 < high / (3 / 208) < 2


def test_a_spread_is_what_binomial_draws_have(runs):
    entry = runs.models[8000]["recall"]["6–50"]
    share = entry["found"] / entry["words"]
    draws = torch.distributions.Binomial(entry["words"], torch.tensor(share)).sample((20_000,)) / entry["words"]
    low, high = runs.recall_interval(8000, "6–50")
    assert (high - low) / 2 == pytest.approx(1.96 * draws.std().item(), rel=0.05)
