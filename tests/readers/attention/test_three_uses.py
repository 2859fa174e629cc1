"""What *Three uses of attention* says of its interventions holds in the result on record."""

import pytest

from attention_book.analysis.attention_by_use import USES
from attention_book.readers.attention.three_uses import HEADER, WAYS, ThreeUses, read


@pytest.fixture(scope="module")
def measured():
    return read()


def test_a_made_up_result_is_read_by_hand():
    arms = {
        "encoder_self/even": {"change": [0.25, 0.125], "right": 0.5},
        "cross/silent": {"change": [-0.5, 0.0625], "right": 0.125},
    }
    found = {"sentences": 4, "target_tokens": 30, "loss": 1.5, "right": 0.75, "arms": arms}
    made_up = ThreeUses({"seeds": {"0": found}})
    assert made_up.rows() == [
        ("even", "+0.25\xa0±\xa00.12", "–", "–"),
        ("on the token itself", "–", "–", "–"),
        ("silenced", "–", "–", "−0.50\xa0±\xa00.06"),
        ("memory of another sentence", "–", "–", "–"),
    ]
    told = made_up.numbers()
    assert (told["mean_length"], told["n_tokens"], told["right"]) == (7.5, 30, 75)
    assert (told["cost_encoder_self_even"], told["right_cross_silent"]) == (0.25, 12.5)


def test_every_arm_has_a_cell_under_its_name(measured):
    assert ("weights", *USES.values()) == HEADER and [row[0] for row in measured.rows()] == list(WAYS.values())
    cells = {(use, row[0]): cell for row in measured.rows() for use, cell in zip(HEADER[1:], row[1:], strict=True)}
    for arm in measured.found["arms"]:
        use, way = arm.split("/")
        assert cells.pop((USES[use], WAYS[way])) == f"{measured.cost(arm):+.2f}"
    assert set(cells.values()) == {"–"}


def test_to_lose_the_source_costs_most_and_another_sentences_source_more_than_none(measured):
    costs = {arm: measured.cost(arm).value for arm in measured.found["arms"]}
    assert sorted(costs, key=costs.get)[-2:] == ["cross/silent", "cross/another"]


def test_the_choice_counts_most_where_the_source_is_read(measured):
    even = {use: measured.cost(f"{use}/even").value for use in USES}
    assert max(even, key=even.get) == "cross"


def test_silence_costs_the_decoder_more_of_its_past_than_the_encoder(measured):
    assert measured.cost("decoder_self/silent").value > measured.cost("encoder_self/silent").value


def test_a_token_by_itself_does_worse_than_silence_in_both_self_attentions(measured):
    for use in ("encoder_self", "decoder_self"):
        assert measured.cost(f"{use}/itself").value > measured.cost(f"{use}/silent").value
