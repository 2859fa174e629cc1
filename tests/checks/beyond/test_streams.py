"""The checks of decoder only and of one stack or two: they pass what is right in any form and name what is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from attention_book.checks.beyond import streams as checks
from attention_book.models.one_stack.decoder_only import stream_mask
from attention_book.studies.beyond.three_families import GPT, even_share, gpt_rows

from ..diagnosis import diagnosis

BLOCKS = {"causal_1": 15, "prefix_1": 25, "block_2": 20, "block_3": 10}
SHARES = {"share": 1 / 2, "source_only": 6, "output": 4, "doubled": 1 / 3}
EVEN = {"one": 1 / 2, "two": 7 / 12, "limit": math.log(2)}


def test_blocks_pass_as_counted_by_hand():
    assert checks.check_blocks(BLOCKS) and checks.check_blocks({n: torch.tensor(x) for n, x in BLOCKS.items()})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"causal_1": 25}, "does not see the later ones"),
        ({"causal_1": 10}, "the diagonal is allowed"),
        ({"prefix_1": 15}, "that is the triangle"),
        ({"prefix_1": 45}, "never sees the target"),
        ({"block_2": 25}, "4 target tokens"),
        ({"block_2": 10}, "no cell of this block is hidden"),
        ({"block_3": 16}, "whole square"),
        ({"block_3": 6}, "the diagonal"),
        ({"block_3": ...}, "still to be predicted"),
    ],
)
def test_blocks_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_blocks(BLOCKS | changed))


def test_the_keys_are_printed_and_the_shares_follow_from_them():
    assert checks.three_keys().splitlines()[2] == "key 2, target: score ln 4, value 2"
    exponentials = torch.tensor([float(e) for e, _, _ in checks.SCORES])
    values = torch.tensor([float(v) for _, v, _ in checks.SCORES])
    assert float(exponentials.log().softmax(0) @ values) == pytest.approx(SHARES["output"])
    assert float(exponentials[:2].log().softmax(0) @ values[:2]) == pytest.approx(SHARES["source_only"])
    assert checks.check_share(SHARES) and checks.check_share(
        {n: Fraction(x).limit_denominator() for n, x in SHARES.items()}
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"share": 2 / 3}, "share of the keys"),
        ({"share": 1}, "one softmax"),
        ({"source_only": 4}, "not equal"),
        ({"output": 8}, "two sublayers"),
        ({"output": 6}, "source alone"),
        ({"doubled": 1 / 2}, "takes its part"),
        ({"doubled": 1 / 4}, "of 12"),
    ],
)
def test_shares_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_share(SHARES | changed))


def test_even_shares_pass_as_the_mask_gives_them():
    assert checks.check_even(EVEN) and checks.check_even(EVEN | {"limit": 0.693, "two": Fraction(7, 12)})
    assert [even_share(n, n) for n in (1, 2, 2000)] == pytest.approx(list(EVEN.values()), abs=2e-4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"one": 1}, "sees itself"),
        ({"two": 1 / 2}, "second row alone"),
        ({"two": 7 / 6}, "not their sum"),
        ({"two": 4 / 7}, "all cells together"),
        ({"limit": 1 / 2}, "only the last row"),
        ({"limit": 2 / 3}, "share of the allowed cells"),
        ({"limit": 1 - math.log(2)}, "share of the target"),
    ],
)
def test_even_shares_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_even(EVEN | changed))


def by_loops(src_len, tgt_len):
    length = src_len + tgt_len
    return [[key <= query or key < src_len for key in range(length)] for query in range(length)]


def by_parts(src_len, tgt_len):
    mask = torch.ones(src_len + tgt_len, src_len + tgt_len).tril().bool()
    mask[:, :src_len] = True
    return mask


@pytest.mark.parametrize("right", [by_loops, by_parts, lambda s, t: np.array(by_loops(s, t))])
def test_masks_pass(right):
    assert checks.check_mask(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s, t: ~by_parts(s, t), "turned round"),
        (lambda s, t: stream_mask(s, t), "causal throughout"),
        (lambda s, t: torch.ones(s + t, s + t).bool(), "nothing is hidden"),
        (lambda s, t: by_parts(s, t).T, "transposed"),
        (lambda s, t: by_parts(s - 1, t + 1), "one token too early"),
        (lambda s, t: by_parts(s + 1, t - 1) if t > 1 else by_parts(s, t), "one token too late"),
        (lambda s, t: by_parts(s, t) | (torch.arange(s + t) >= s)[:, None], "block 3 is a triangle"),
        (lambda s, t: torch.block_diag(by_parts(0, s), by_parts(0, t)).bool(), "does not see it"),
        (lambda s, t: torch.block_diag(by_parts(s, 0), by_parts(0, t)).bool(), "the target does not see the source."),
        (lambda s, t: by_parts(s, t).float(), "True and False"),
        (lambda s, t: by_parts(s, t)[:s], "wrong shape"),
        (lambda s, t: None, "return"),
    ],
)
def test_masks_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_mask(wrong))


@pytest.mark.parametrize(
    "right",
    [
        lambda s, t: [0] * len(s) + [0, *t, 2],
        lambda s, t: tuple([0 for _ in [*s, 2]] + t + [2]),
        lambda s, t: np.array([0] * (len(s) + 1) + t + [2]),
        lambda s, t: torch.tensor([0] * (len(s) + 1) + t + [2]),
    ],
)
def test_labels_pass(right):
    assert checks.check_labels(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s, t: [*s[1:], 2, 1, *t, 2], "only the target counts"),
        (lambda s, t: [0] * (len(s) + 2) + t, "its own token"),
        (lambda s, t: [0] * (len(s) + 2) + t + [2], "one label too many"),
        (lambda s, t: [*t, 2], "one label per token"),
        (lambda s, t: [0] * (len(s) + 1) + t + [0], "asked for `</s>`"),
        (lambda s, t: [0] * len(s) + [1, *t, 2], "never asked for"),
        (lambda s, t: [*s, 2, 1, *t], "the tokens themselves"),
        (lambda s, t: [0, *t], "labels for"),
        (lambda s, t: [0] * (len(s) + 1) + t[::-1] + [2], "row 4 has the label 9"),
        (lambda s, t: "0", "list of whole numbers"),
    ],
)
def test_labels_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_labels(wrong))


@pytest.mark.parametrize("right", [[4, 5], (5, 4), range(4, 6), {4, 5}, np.array([4, 5]), torch.tensor([4, 5])])
def test_cheats_pass(right):
    assert checks.check_cheats(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([4, 5, 6], "asked for token 7"),
        ([5, 6], "counted from 0"),
        ([4], "not alone"),
        ([], "in the prefix of this mask"),
        ([0, 1, 2, 4, 5], "no prediction that counts"),
        ([4, 7], "each row's next token"),
        (..., "list of whole numbers"),
        ([float("nan")], "list of whole numbers"),
    ],
)
def test_cheats_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_cheats(wrong))


def test_the_rows_that_cheat_are_counted_by_hand():
    prefix, source, length = 7, 4, 8
    sees = [[key <= row or key < prefix for key in range(length)] for row in range(length)]
    assert [row for row in range(source, length - 1) if sees[row][row + 1]] == [4, 5]


FAIR = {"fair": 14, "same_work": 7, "narrow": 15, "million": 12 * 24 * 1024**2 / 1e6}


def test_fair_layers_pass_as_counted_by_hand():
    assert checks.check_fair(FAIR) and checks.check_fair(FAIR | {"million": 302, "fair": Fraction(168, 12)})
    attention, narrow = 4, 2 * 2
    encoder, decoder = attention + narrow, 2 * attention + narrow
    assert (6 * encoder + 6 * decoder) / encoder == FAIR["narrow"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fair": 12}, "two attentions"),
        ({"fair": 16}, "only the decoder's layers"),
        ({"fair": 7}, "3 + 3"),
        ({"same_work": 14}, "as many parameters"),
        ({"same_work": 6}, "is work too"),
        ({"same_work": 12}, "its own side"),
        ({"same_work": 28}, "fewer layers"),
        ({"narrow": 14}, "4 d wide"),
        ({"narrow": 10}, "narrow network too"),
        ({"narrow": 18}, "keep their size"),
        ({"million": 403}, "one attention"),
        ({"million": 201}, "usual feed-forward"),
        ({"million": 12.6}, "one layer"),
        ({"million": 12 * 24 * 1024**2}, "in millions"),
        ({"million": ...}, "still to be predicted"),
    ],
)
def test_fair_layers_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_fair(FAIR | changed))


def size(n, d, v, p):
    return 12 * n * d**2 + (v + p) * d


def test_sizes_pass_and_are_those_of_the_table():
    assert checks.check_size(size) and checks.check_size(lambda *given: float(size(*given)))
    assert [row[-1] for row in gpt_rows()] == [f"{size(*GPT[name]) / 1e6:,.0f} million" for name in GPT]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda n, d, v, p: 12 * n * d**2, "embeddings are missing"),
        (lambda n, d, v, p: (v + p) * d, "layers are missing"),
        (lambda n, d, v, p: 12 * n * d**2 + v * d, "positions have"),
        (lambda n, d, v, p: 12 * n * d**2 + p * d, "tokens have"),
        (lambda n, d, v, p: 12 * n * d**2 + (2 * v + p) * d, "count it once"),
        (lambda n, d, v, p: 16 * n * d**2 + (v + p) * d, "one attention"),
        (lambda n, d, v, p: 12 * n * d**2 + (v + p) * d**2, "not d²"),
        (lambda n, d, v, p: 12 * n * d**2 + v + p, "has d numbers"),
        (lambda n, d, v, p: 12 * n * d + (v + p) * d, "squared"),
        (lambda n, d, v, p: 12 * d**2 + (v + p) * d, "every layer"),
        (lambda n, d, v, p: size(n, d, v, p) + 1, "you have"),
        (lambda n, d, v, p: None, "return"),
    ],
)
def test_sizes_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_size(wrong))
