"""What *What the mask buys* says of the decoder that cheats holds in the result on record."""

import pytest

from attention_book.readers.attention.cheating_decoder import ARMS, WHAT, CheatingDecoder


@pytest.fixture
def made_up():
    """Two seeds; every share of right words is ¼ and ¾, every loss 1 and 3."""

    def seed(share, loss):
        metrics = {what: share for what in WHAT.values()} | {"loss": loss, "curve": [loss, loss / 4]}
        both = {f"{arm}_{words}_{what}": value for arm in ARMS for words in (2, 4) for what, value in metrics.items()}
        return both | {"floor_4": 0.6, "chance_2": 0.5, "chance_4": 0.25}

    setting = {"words": [2, 4], "synonyms": 2, "length": 3, "steps": 20, "curve_every": 10}
    return CheatingDecoder({"configuration": setting, "seeds": {"0": seed(0.25, 1.0), "1": seed(0.75, 3.0)}})


def test_made_up_runs_are_read_by_hand(made_up):
    assert made_up.told("masked", "alone") == "50.0\xa0±\xa035.4\xa0%"  # √(2 · 0.25²)
    assert made_up.told("unmasked", "loss") == "2.000\xa0±\xa01.414"
    assert made_up.steps.tolist() == [10, 20] and made_up.curve("masked").tolist() == [2.0, 0.5]
    assert made_up.below_the_floor_by() == 20
    assert made_up.numbers()["few_chance"] == 50 and made_up.numbers()["words"] == 4
    assert made_up.lines_told().endswith("it is below that line by step 20 and ends at 0.5000.")


def test_the_table_has_a_row_per_question_and_a_column_per_arm(runs):
    rows = runs.rows()
    assert [row[0] for row in rows] == list(WHAT) and {len(row) for row in rows} == {3}


def test_with_the_mask_the_loss_stays_above_the_floor_and_without_it_goes_through(runs):
    assert runs.curve("masked").min() > runs.floor > runs.curve("unmasked")[-1]
    assert runs.below_the_floor_by() < runs.setting["steps"]


def test_writing_alone_only_the_masked_decoder_has_learned_to_translate(runs):
    assert runs.of_arm("unmasked", "whole_target").value > 0.99 < runs.of_arm("masked", "alone").value
    assert runs.of_arm("unmasked", "alone").value < 2 * runs.chance(runs.many)
    assert runs.of_arm("unmasked", "mask_put_on").value < 0.1


def test_a_small_dictionary_is_partly_learned_before_copying_wins(runs):
    few = runs.of_arm("unmasked", "alone", runs.few).value
    assert runs.chance(runs.few) < few < runs.of_arm("masked", "alone", runs.few).value / 2
