"""What *How many subwords?* says of the three translators holds in the result on record."""

import math

import pytest

from attention_book.readers.translator.vocabulary_sizes import (
    HEADER,
    LOSS_HEADER,
    SCORE_HEADER,
    VocabularySizes,
)


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
    assert made_up.rows()[0] == ("500", "1.05 million", "5 %", "1.50", "8,000")
    assert made_up.rows()[2] == ("8,000", "1.80 million", "44 %", "6.00", "500")
    assert made_up.loss_rows()[1] == ("2,000", "2.00", "2.00", f"{1 / math.log(2):.3f}")
    assert made_up.characters_per_piece(8000) == pytest.approx(4.0)
    assert made_up.score_rows()[0] == ("500", "10.0 ± 0.5", "30.0")
    assert made_up.recall(2000, "1–5") == 0.21
    assert made_up.recall_spread(500, "6–50") == pytest.approx(1.96 * math.sqrt(0.3 * 0.7 / 100))
    assert made_up.recall_header() == ["seen in training", "words", "500 pieces", "2,000 pieces", "8,000 pieces"]
    assert made_up.recall_rows()[1] == ("1 to 5 times", "100", "20.0 ± 7.8 %", "21.0 ± 8.0 %", "22.0 ± 8.1 %")
    assert [len(rows[0]) for rows in (made_up.rows(), made_up.loss_rows(), made_up.score_rows())] == [
        len(header) for header in (HEADER, LOSS_HEADER, SCORE_HEADER)
    ]


def test_the_numbers_of_a_made_up_result_are_those_counted_by_hand(made_up):
    numbers = made_up.numbers()
    assert (numbers["small"], numbers["middle"], numbers["large"]) == (500, 2000, 8000)
    assert (numbers["budget"], numbers["read_more"], numbers["large_each"]) == (4.0, 4.0, 500)
    assert numbers["small_rare"] == pytest.approx(20) and numbers["large_never"] == pytest.approx(12)
    assert numbers["large_share"] == pytest.approx(100 * 0.8 / 1.8) and numbers["n_translated"] == 1234
