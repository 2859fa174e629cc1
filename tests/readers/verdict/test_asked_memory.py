"""What *What if it could look things up?* says holds in the result on record."""

import pytest

from attention_book.readers.verdict.asked_memory import HEADER, LEARNED_HEADER, OWN_HEADER, SCORE_HEADER, AskedMemory


def made_up():
    """BLEU of 40 and 10 more with the memory; chrF of 60."""

    def both(*shares):
        return {
            share: {"bleu": 40.0 + 10 * (share != "0.0"), "chrf": 60.0, "bleu_half_width": 1.5, "chrf_half_width": 1.0}
            | ({"bleu_p": 0.004, "chrf_p": 0.1} if share != "0.0" else {})
            for share in shares
        }

    found = {
        "keys": 1000, "bytes": 2_500_000_000, "sentences": 7, "loss": {"0.0": 1.0, "0.5": 0.75},
        "greedy": both("0.0", "0.5"), "beam": both("0.0", "0.5"), "test": both("0.0", "0.5"),
        "training": both("0.0", "0.5"), "seen": {"shoemaker": 3, "beaver": 0},
        "own": {"0.0": ["un zapato", "una cerveza"], "0.5": ["un zapatero", "un oso"]},
        "likeliest": {"weight": 0.5, "right": 0.61},
    }  # fmt: skip
    setting = {"training_sentences": 5, "neighbours": 2, "temperature": 10.0, "lists": 4, "probes": 2}
    pupil = {
        "scores": {
            "mean": {"validation_loss": 0.8, "validation_bleu": 43.0},
            "learners": [{"validation_bleu": 44.0}, {"validation_bleu": 42.0}],
        },
        "validation": {"all_references": {"bleu": 45.0}}, "test": {"all_references": {"bleu": 41.0}},
        "settings": {"taught": 0.7}, "learners": 2, "tokens": 2_000_000,
    }  # fmt: skip
    return AskedMemory({"configuration": setting, "seeds": {"0": found}}, 1_000_000, 500, pupil)


def test_made_up_scores_are_read_by_hand():
    read = made_up()
    assert read.rows() == [("0", "1.000", "40.0 ± 1.5"), ("0.5", "0.750", "50.0 ± 1.5")]
    assert read.own_rows() == [("shoemaker", "3", "un zapato", "un zapatero"), ("beaver", "0", "una cerveza", "un oso")]
    assert read.score_rows()[:2] == [
        ("validation, greedy", "0", "40.0 ± 1.5", "", "60.0 ± 1.0", ""),
        ("validation, greedy", "0.5", "50.0 ± 1.5", "0.004", "60.0 ± 1.0", "0.100"),
    ]
    numbers = read.numbers()
    assert numbers["gigabytes"] == 2.5 and numbers["megabytes"] == 4 and numbers["greedy_gain"] == 10
    assert numbers["seen_shoemaker"] == 3 and numbers["shoe_alone"] == "un zapato"
    assert read.learned_rows() == [
        ("the taught translator", "1.000", "40.0", "40.0", "40.0"),
        ("the same with its memory", "0.750", "50.0", "50.0", "50.0"),
        ("the pupil, without a memory", "0.800", "43.0", "45.0", "41.0"),
    ]
    kept = {"loss": 0.8, "greedy": 0.3, "beam": 0.5, "test": 0.1}
    assert {kind: numbers[f"{kind}_kept"] for kind in kept} == pytest.approx(kept)
    assert (numbers["pupil_least"], numbers["pupil_most"]) == (42, 44)
    assert (numbers["pupil_test_gain"], numbers["pupil_millions"], numbers["lesson_share"]) == (1, 2, 0.7)
    tables = {HEADER: read.rows(), OWN_HEADER: read.own_rows(), SCORE_HEADER: read.score_rows()}
    for header, rows in (tables | {LEARNED_HEADER: read.learned_rows()}).items():
        assert all(len(row) == len(header) for row in rows)


def test_training_sentences_are_translated_better_than_new_ones_and_far_from_word_for_word(runs):
    assert 5 < runs.numbers()["kept"] < 10 and runs.found["training"]["0.0"]["bleu"] < 65


def test_half_of_the_say_is_best_and_the_gain_is_not_chance(runs):
    losses, scores = runs.found["loss"], {share: one["bleu"] for share, one in runs.found["greedy"].items()}
    assert min(losses, key=losses.get) == max(scores, key=scores.get) == "0.5"
    assert 1 < runs.gain("greedy") < 3 and runs.found["greedy"]["0.5"]["bleu_p"] < 0.01
    test = runs.found["test"]["0.5"]
    assert 0.5 < runs.gain("test") < runs.gain("beam") and test["bleu_p"] < 0.05 < test["chrf_p"] < 0.1
    assert 0 < runs.gain("test", "chrf") < 1


def test_of_the_four_the_shoemaker_alone_comes_right(runs):
    """Of three words that were wrong, one was seen with its translation; the others, never."""
    rows = {word: texts for word, _, *texts in runs.own_rows()}
    shoe = list(rows).index("shoemaker")
    assert runs.found["own"]["0.25"][shoe] == rows["shoemaker"][0]  # with a quarter of the say, still a shoe
    assert rows["shoemaker"] == ["Él es un zapato.", "Él es un zapatero."]
    assert rows["accordion"][0] == rows["accordion"][1] and "acordeón" in rows["accordion"][0]
    assert not any("castor" in text for text in rows["beaver"]) and not any(
        "colador" in text for text in rows["colander"]
    )


def test_with_the_pair_itself_in_the_memory_training_sentences_come_back(runs):
    assert runs.gain("training") > 15


def test_the_numbers_of_the_datastore_are_its_keys_in_single_precision(runs):
    assert runs.found["bytes"] == runs.found["keys"] * (256 * 4 + 8)
    assert runs.numbers()["megabytes"] == pytest.approx(4 * runs.parameters / 1e6)


def test_the_pupil_learns_most_of_the_loss_and_little_of_bleu(runs):
    assert 0.7 < runs.kept("loss") < 0.9 and runs.kept("greedy") < 0.3
    assert runs.kept("test") < 0.5 < runs.kept("beam") < 0.6 and 0 < runs.numbers()["pupil_test_gain"] < 0.5
    scores = runs.pupil["scores"]
    assert scores["mean"]["validation_loss"] < min(one["validation_loss"] for one in scores["learners"])
    assert runs.learned()["greedy"] < runs.numbers()["pupil_least"]
    assert runs.pupil["start"]["name"] == runs.setting["translator"] and runs.pupil["memory"]["share"] == 0.5
    assert runs.pupil["memory"]["neighbours"] == runs.setting["neighbours"]
