"""What *Three uses of attention* says of its interventions holds in the result on record."""

import pytest

from attention_book.analysis.attention_by_use import USES
from attention_book.readers.attention.three_uses import HEADER, LENGTH_HEADER, WAYS, ThreeUses, read


@pytest.fixture(scope="module")
def measured():
    return read()


def test_a_made_up_result_is_read_by_hand():
    arms = {
        "encoder_self/even": {"change": [0.25, 0.125], "right": 0.5},
        "encoder_self/silent": {
            "change": [1.0, 0.5],
            "right": 0.5,
            "by_length": {"few": [0.5, 0.25], "many": [2.0, 1.0]},
        },
        "cross/silent": {"change": [-0.5, 0.0625], "right": 0.125},
    }
    found = {"sentences": 4, "target_tokens": 30, "loss": 1.5, "right": 0.75, "arms": arms}
    found["in_group"] = {"few": 3, "many": 1}
    made_up = ThreeUses({"seeds": {"0": found}})
    assert made_up.rows() == [
        ("even", "+0.25\xa0±\xa00.12", "–", "–"),
        ("on the token itself", "–", "–", "–"),
        ("silenced", "+1.00\xa0±\xa00.50", "–", "−0.50\xa0±\xa00.06"),
        ("memory of another sentence", "–", "–", "–"),
    ]
    told = made_up.numbers()
    assert (told["mean_length"], told["n_tokens"], told["right"]) == (7.5, 30, 75)
    assert (told["cost_encoder_self_even"], told["right_cross_silent"]) == (0.25, 12.5)
    assert (told["shortest_silent"], told["longest_silent"]) == (0.5, 2)


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


def test_the_encoder_costs_more_than_twice_as_much_in_long_sentences(measured):
    """The page's bet; by more than two standard errors of the difference that it says."""
    short, *_, long = (measured.cost_at("encoder_self/silent", group) for group in measured.setting["lengths"])
    assert long.value - 2 * short.value > 2 * (long.spread**2 + 4 * short.spread**2) ** 0.5
    (_, most), *_, (least, _) = measured.setting["lengths"].values()
    assert (most, least) == (7, 11)  # as the page's bet says it


def test_longer_sentences_need_both_self_attentions_more(measured):
    for use in ("encoder_self", "decoder_self"):
        costs = [measured.cost_at(f"{use}/silent", group).value for group in measured.setting["lengths"]]
        assert costs == sorted(costs)


def test_at_each_length_the_order_of_the_uses_is_the_same(measured):
    for group in measured.setting["lengths"]:
        for way in ("even", "silent"):
            encoder, decoder, cross = (measured.cost_at(f"{use}/{way}", group) for use in USES)
            assert encoder.value < decoder.value < cross.value


def test_the_groups_are_all_sentences_and_their_costs_lie_around_the_whole(measured):
    assert sum(measured.found["in_group"].values()) == measured.found["sentences"]
    rows = measured.length_rows()
    assert len(LENGTH_HEADER) == len(rows[0]) and len(rows) == len(measured.setting["lengths"])
    for arm in measured.found["arms"]:
        costs = [measured.cost_at(arm, group).value for group in measured.found["in_group"]]
        assert min(costs) <= measured.cost(arm).value <= max(costs)
