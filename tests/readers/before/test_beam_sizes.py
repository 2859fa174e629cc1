"""What *Decoding* says of wide and narrow beams holds in the result on record."""

import itertools

import pytest

from attention_book.readers.before.beam_sizes import BeamSizes


@pytest.fixture
def made_up():
    """Eight sentences, four of them certain; the narrow beam errs on one of the four, the wide one on none."""

    def search(bleu, errors):
        scores = {"bleu": bleu, "chrf": 60.0, "tokens": 7.25, "log_prob": -2.5, "empty": 0.125}
        return scores | {"search_errors": errors, "certain": {"bleu": bleu + 1, "tokens": 6.5}}

    exact = {"certain": 4, "expansions": [3, 50, 5, 50, 50, 9, 50, 7], "source_tokens": [2, 9, 3, 8, 8, 5, 9, 4]}
    exact |= {"bleu": 40.0, "tokens": 6.0, "reference_tokens": 7.0, "empty": 0.25}
    found = {"sentences": 8, "reference_tokens": 8.0, "exact": exact}
    for alpha in (0.0, 0.6):
        found |= {f"{alpha}/1": search(30.0, 0.25), f"{alpha}/4": search(32.0, 0.0), f"{alpha}/16": search(31.5, 0.0)}
    setting = {"beam_sizes": [1, 4, 16], "length_penalties": [0.0, 0.6], "max_expansions": 50}
    return BeamSizes({"configuration": setting, "seeds": {"0": found}})


def test_a_change_of_zero_has_no_sign(made_up):
    made_up.found["0.0/16"]["bleu"] = 32.01
    assert made_up.numbers()["loss0"] == "0.0"


def test_made_up_searches_are_read_by_hand(made_up):
    found = made_up.numbers()
    # 1.96 · √(1/4 · 3/4 / 4) = 0.4244
    assert found["errors0_1"] == "25.0\xa0±\xa042.4\xa0%" and made_up.errors(0.0, 1).kind == "interval"
    assert (found["gain6"], found["loss0"]) == ("+2.0", "−0.5")
    assert (found["n_certain"], found["n_uncertain"], found["n_empty"]) == (4, 4, 1)
    assert (found["median_expansions"], found["widest"], found["certain_bleu_4"]) == (29.5, 16, 33)
    assert made_up.length_rows(2) == [("2 to 5", "4", "100\xa0%", "6"), ("8 to 9", "4", "0\xa0%", "more than 50")]
    assert made_up.quality_rows()[0] == ("0", "1", "30.0", "60.0", "7.25", "−2.500", "1")
    assert len(made_up.quality_rows()) == 6
    assert [row[:2] for row in made_up.quality_rows((1, 16))] == [("0", "1"), ("0", "16"), ("0.6", "1"), ("0.6", "16")]
    assert found["log0_1"] == "−2.500"
    assert made_up.error_lines() == {"no length penalty": ([1, 4, 16], [25, 0, 0])}
    assert made_up.errors_told() == (
        "Share of 4 sentences on which the beam found a translation less probable than the best. "
        "no length penalty: 25.0 % at 1, 0.0 % at 4, 0.0 % at 16."
    )


def test_a_length_belongs_to_one_group(made_up, runs):
    made_up.found["exact"]["source_tokens"] = [3, 3, 3, 3, 3, 3, 4, 9]
    assert [row[:2] for row in made_up.length_rows(4)] == [("3 to 3", "6"), ("4 to 9", "2")]
    spans = [tuple(map(int, row[0].split(" to "))) for row in runs.length_rows()]
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(spans))
    assert sum(int(row[1]) for row in runs.length_rows()) == runs.numbers()["n_val"]


def test_a_change_of_bleu_is_the_difference_of_what_the_table_shows(runs):
    rows = {row[:2]: float(row[2]) for row in runs.quality_rows()}
    for alpha, name in (("0", "gain0"), ("0.6", "gain6")):
        shown = rows[alpha, "4"] - rows[alpha, "1"]
        assert float(runs.numbers()[name]) == pytest.approx(shown)


def test_the_figure_is_about_searches_without_a_length_penalty(made_up):
    (axes,) = made_up.error_figure().axes
    assert [line.get_label() for line in axes.lines] == ["no length penalty"] and axes.get_xscale() == "log"


def test_without_a_penalty_wider_beams_miss_the_best_less_often(runs):
    shares = [runs.errors(0.0, beam).value for beam in runs.beams]
    assert shares == sorted(shares, reverse=True) and shares[-1] < shares[0] / 4


def test_with_a_penalty_the_usual_beam_looks_for_another_sentence(runs):
    assert runs.errors(0.6, 4).value > runs.errors(0.0, 4).value + runs.errors(0.0, 4).spread


def test_sixteen_times_as_many_prefixes_bring_next_to_nothing(runs):
    for alpha in runs.alphas:
        assert abs(runs.bleu_change(alpha, 4, 64)) < 0.5
        assert runs.run(alpha, 64)["tokens"] <= runs.run(alpha, 4)["tokens"]


def test_half_of_all_searches_end_early_and_longer_sentences_are_harder(runs):
    assert runs.numbers()["median_expansions"] < runs.setting["max_expansions"] / 10
    medians = [float(row[3]) for row in runs.length_rows() if row[3].isdigit()]
    assert medians == sorted(medians)


def test_the_beam_of_one_never_returns_the_empty_sentence(runs):
    assert all(runs.run(alpha, 1)["empty"] == 0 for alpha in runs.alphas)
