"""What *Encoder only* says of gaps and *A task with few labels* of labels holds in the result on record."""

import math

import pytest

from attention_book.little_language.gaps import gap_probabilities
from attention_book.readers.beyond.filling_gaps import ARMS, FillingGaps


def made_up():
    """Two seeds; the second is better by 0.1 everywhere, and fine-tuning leads by 0.2, then 0.3, then 0.11."""
    seeds = {}
    for seed, more in (("1", 0.0), ("2", 0.1)):
        shares = {"tuned": [0.6, 0.8, 0.86], "scratch": [0.4, 0.5, 0.75], "probe": [0.5] * 3, "counted": [0.5] * 3}
        seeds[seed] = {name: [share + more for share in row] for name, row in shares.items()} | {
            "floor": 0.5 + more, "floor_left": 2.0, "gap_loss": 1.0 + more, "gaps": 10, "without_labels": 0.9,
            "guesses": {"I <mask> cats.": [["like", 0.8987, 0.9], ["see", 0.1013, 0.05]],
                        "The girls <mask> letters at night.": [["read", 0.5, 0.5]]},
        }  # fmt: skip
    setting = {
        "preset": "tiny", "labelled": [64, 256, 1024], "sentences": 9, "gap_steps": 1, "gap_batch": 1,
        "label_steps": 1, "label_tests": 5,
    }  # fmt: skip
    return FillingGaps({"configuration": setting, "seeds": seeds})


def test_made_up_runs_are_read_by_hand():
    read = made_up()
    assert read.right("tuned", 256).value == pytest.approx(0.85)
    assert read.right("tuned", 256).spread == pytest.approx(0.1 / math.sqrt(2))
    assert read.lead(256).value == pytest.approx(0.3) and read.lead(256).spread == pytest.approx(0, abs=1e-9)
    assert read.excess.value == pytest.approx(0.5) and read.excess.spread == pytest.approx(0, abs=1e-9)
    assert list(read.loss_dots()) == ["left floor", "the encoder", "two-sided floor"]
    assert read.loss_dots()["the encoder"] == pytest.approx([1.0, 1.1])
    assert read.loss_dots_told().endswith("The encoder: 1.000, 1.100. Two-sided floor: 0.500, 0.600.")
    assert read.label_rows()[0][0] == "64" and len(read.label_rows()[0]) == len(read.label_header()) == 5
    assert read.lines()[ARMS["tuned"]][1] == pytest.approx([65, 85, 91])
    assert read.lines_told().endswith("Counting words: 55 with 64, 55 with 1,024.")
    assert read.guess_rows() == [("I ___ cats.", "like 90 / 90, see 10 / 5")]
    assert [row[0] for row in read.bet_rows()] == ["256", "1,024", "1,024"]  # 0.85, then 0.91 in the mean
    numbers = read.numbers()
    assert numbers["too_few"] == 256
    assert (numbers["lead_middle"], numbers["lead_from"], numbers["lead_to"]) == ("30.0", "30.0", "30.0")
    assert numbers["probe_ahead"] == 0  # 0.5 and 0.5, then 0.6 and 0.6
    assert (numbers["floor"], numbers["floor_left"]) == ("0.55", "2.00")
    assert numbers["n_gaps"] == 20 and numbers["d_model"] == 64 and numbers["middle"] == 256 and numbers["most"] == 1024
    # 190 words; per layer 4 (64² + 64) + 2 · 64 · 256 + 256 + 64 + 4 · 64; the last norm; the bias of the output
    assert numbers["n_parameters"] == 190 * 64 + 2 * (4 * 4160 + 33088 + 256) + 128 + 190


def test_the_encoder_lies_between_the_floors_in_every_seed_and_nearer_to_the_lower_one(runs):
    low, loss, high = (runs.of(name) for name in ("floor", "gap_loss", "floor_left"))
    assert (low < loss).all() and (loss < (low + high) / 2).all()


def test_filling_gaps_saves_labels_in_the_middle_most_of_all(runs):
    leads = {size: runs.lead(size) for size in runs.sizes}
    assert leads[256].value > 0.2 and leads[256].settled
    told, lead = runs.numbers(), leads[256]
    assert float(told["lead_from"]) == pytest.approx(100 * (lead.value - lead.spread), abs=0.051)
    assert float(told["lead_to"]) == pytest.approx(100 * (lead.value + lead.spread), abs=0.051)
    assert leads[64].value < leads[256].value / 2 and leads[1024].value < 0.75 * leads[256].value
    assert runs.right("tuned", 1024).value > 0.97 and runs.right("scratch", 64).value < 0.6
    assert runs.right("tuned", 64).value < 0.7


def test_it_knows_agreement_before_the_first_label_and_the_probe_does_not_find_it(runs):
    assert runs.of("without_labels").min() > 0.97
    probe, tuned = runs.right("probe", 1024), runs.right("tuned", 256)
    assert probe.value < tuned.value - 0.1 and probe.spread > 0.03
    assert runs.right("counted", 1024).value < 0.65 and runs.right("counted", 1024).value < probe.value


def test_with_256_labels_the_probe_is_second_and_only_with_1024_the_third(runs):
    shares = {size: {arm: runs.right(arm, size).value for arm in ARMS} for size in runs.sizes}
    for size in runs.sizes:
        order = sorted(ARMS, key=shares[size].get, reverse=True)
        assert order[:2] == (["tuned", "scratch"] if size == 1024 else ["tuned", "probe"])
    assert [row[0] for row in runs.bet_rows()] == ["128", "256", "1,024"]
    assert (runs.of("probe") > runs.of("scratch"))[:, runs.sizes.index(256)].all()


def test_the_guesses_shown_put_most_of_the_probability_on_words_that_fit(runs):
    for words in runs.seeds[0]["guesses"].values():
        assert sum(guess for _, exact, guess in words if exact) > 0.8
    before_like = runs.seeds[0]["guesses"]["<mask> like cats."]
    assert sum(guess for word, _, guess in before_like if word in ("I", "we", "you", "they")) > 0.95


def test_the_bet_is_on_a_word_that_the_grammar_seldom_writes(runs):
    told = runs.first_gap()
    exact = gap_probabilities("<mask> like cats.")
    assert told["exact_we"] == f"{100 * exact['we']:.0f}" and told["exact_they"] == f"{100 * exact['they']:.0f}"
    guess = {word: share for word, _, share in runs.seeds[0]["guesses"]["<mask> like cats."]}
    assert told["guess_they"] == f"{100 * guess['they']:.0f}"
    each = [{word: p for word, _, p in seed["guesses"]["<mask> like cats."]}["they"] for seed in runs.seeds]
    assert (told["they_from"], told["they_to"]) == (f"{100 * min(each):.0f}", f"{100 * max(each):.0f}")
    assert all(exact["they"] / 2 < p < 2 * exact["they"] for p in each), "the page: about as much, in every seed"
    odd = made_up()
    odd.seeds[0]["guesses"]["<mask> like cats."] = [["I", 0.5, 0.5], ["we", 0.3, 0.3], ["you", 0.2, 0.2]]
    with pytest.raises(AssertionError):
        odd.first_gap()
