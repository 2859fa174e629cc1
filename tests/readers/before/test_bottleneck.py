"""What *Recurrent encoder–decoders* says of its runs of one state holds in the result on record."""

import math

import numpy as np
import pytest
import torch

from attention_book.readers.before.bottleneck import AFTER_TANH, REMINDED, Bottleneck


@pytest.fixture
def made_up():
    """Two seeds, three groups of which the last is longer than training had; two widths."""

    def seed(right, loss):
        arms = {"8": 0, "16": 0.1, "128": 0, "128 reversed": 0.3, "128 once": 0.5, "128 once reversed": 0.25}
        metrics = {"pairs": 100, "floor": [0.5, 0.5, 0.5]}
        for arm, more in arms.items():
            metrics |= {f"{arm}/right": [right, right / 2, 0.0], f"{arm}/loss": [loss + more, loss + more + 0.5, 9.0]}
            metrics |= {f"{arm}/parameters": 1000 if "once" in arm else 1250}
        return metrics

    groups = {"1–2": [1, 2, 1], "3–6": [3, 6, 1], "7–9": [7, 9, 2]}
    settings = {"8": {}, "16": {}, "128 once": {}}
    configuration = {"groups": groups, "longest": 6, "settings": settings}
    return Bottleneck({"configuration": configuration, "seeds": {"0": seed(0.5, 1.0), "1": seed(0.7, 2.0)}})


def test_made_up_runs_are_read_by_hand(made_up):
    assert made_up.widths == ["8", "16"] and made_up.inside == [0, 1] and made_up.middles.tolist() == [1.5, 4.5, 8]
    assert made_up.right_inside("8").tolist() == pytest.approx([37.5, 52.5])
    assert made_up.above_inside("8").tolist() == pytest.approx([0.75, 1.75])
    assert made_up.right_lines()["width 8"].tolist() == pytest.approx([60, 30, 0])
    assert made_up.right_told().startswith(
        "Share of right translations by length, mean of 2 seeds. Width 8: 60 % at 1–2, 30 % at 3–6, 0 % at 7–9. Width"
    )
    assert made_up.right_rows()[0][:2] == ("1–2 tokens", "60\xa0±\xa014")  # 10 √2
    assert made_up.right_rows()[-1] == ("parameters", "1,250", "1,250")
    assert made_up.reverse_rows()[3] == (
        "handed over once, in reverse", "45\xa0±\xa011", "1.50\xa0±\xa00.71", "−0.25\xa0±\xa00.00"
    )  # fmt: skip
    assert (made_up.once_gain(), made_up.remind_gain()) == pytest.approx((0.25, 0.5))
    numbers = made_up.numbers()
    assert numbers["beyond_16"] == 0 and numbers["narrow_right"] == pytest.approx(60)


def test_longer_sentences_are_translated_worse_at_every_width(runs):
    for width in runs.widths:
        assert (np.diff(runs.right(width).mean(0)[runs.inside]) < 0.01).all()
    for width in runs.widths[-2:]:
        assert (np.diff(runs.above(width).mean(0)) > 0).all()


def test_a_state_of_64_keeps_few_short_sentences_and_no_long_one(runs):  # the solutions say so
    right = runs.right("64").mean(0)
    assert right[0] < 0.25 and right[runs.inside[-1]] < 0.005


def test_wider_states_lose_sentences_later(runs):
    for narrow, wide in zip(runs.widths, runs.widths[1:], strict=False):
        assert (runs.right(wide).mean(0)[:-1] >= runs.right(narrow).mean(0)[:-1]).all()


def test_reading_in_reverse_helps_only_where_the_state_is_handed_over_once(runs):
    assert not runs.reverse_costs("reminded at every step").settled
    assert runs.once_gain() > 0.2


def test_reminding_helps_twice_as_much_as_reading_in_reverse(runs):
    assert 1.7 < runs.remind_gain() / runs.once_gain() < 2.3


def test_the_floats_after_a_tanh_are_counted_as_their_format_says():
    # for each of 126 exponents a half, a quarter, ..., 2⁻¹²⁶ has 2²³ fractions, those below 2⁻¹²⁶ have one fewer; and 1
    above_0 = 126 * 2**23 + (2**23 - 1) + 1
    assert 2 * above_0 + 1 == AFTER_TANH
    assert torch.tanh(torch.tensor([-20.0, 0.0, 20.0])).tolist() == [-1, 0, 1]  # both ends are reached, and 0


def test_a_clause_needs_fewer_bits_than_the_narrowest_state_has(runs):
    numbers = runs.numbers()
    assert numbers["bits_1"] == math.log2(numbers["clauses"])
    assert f"{numbers['float_bits']:.0f}" == "31" and f"{numbers['narrow_bits']:.0f}" == f"{31 * int(runs.widths[0])}"
    room, states = numbers["clauses"] ** numbers["room_clauses"], AFTER_TANH ** int(runs.widths[0])
    assert room <= states < room * numbers["clauses"]  # so many clauses can be told apart, and not one more


def test_sentences_of_one_clause_are_shorter_than_those_of_two(runs):
    ends = {clauses: [] for clauses in (1, 2)}
    for shortest, longest, clauses in runs.setting["groups"].values():
        ends[clauses] += [shortest, longest]
    assert max(ends[1]) < min(ends[2])


def test_the_tables_have_a_row_per_group_and_two_per_way_to_hand_the_state_over(runs):
    assert np.shape(runs.right_rows()) == (len(runs.groups) + 1, len(runs.widths) + 1)
    assert np.shape(runs.reverse_rows()) == (2 * len(REMINDED), 4)
