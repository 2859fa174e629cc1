"""What the chapters on positions say of their examples, which their visible cells print."""

import math

import pytest
import torch

from attention_book.attention.masks import causal_mask
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.attention.positions import rotate_by_position, shift_rotation, sinusoidal_positions
from attention_book.examples.position_examples import looked_up_in_order, order_rows
from attention_book.models.transformer import Transformer, TransformerConfig

ORDERS = (["I", "like", "cats"], ["cats", "like", "I"])


def test_three_words_by_hand():
    weights, output = looked_up_in_order(ORDERS[0])
    least = 1 / (2 + math.e)
    assert weights == pytest.approx({"I": least, "like": least, "cats": math.e * least})
    assert output == pytest.approx([least * (2 + math.e), least * (2 + math.e), math.e * least, math.e * least])


def test_the_output_of_cats_is_the_same_vector_in_both_sentences():
    rows = order_rows(ORDERS)
    assert rows[0][2] == rows[1][2] == "(1.000, 1.000, 0.576, 0.576)"
    assert rows[1][:2] == ("cats like I", "0.576 on cats, 0.212 on like, 0.212 on I")


@torch.no_grad()
def test_only_a_model_with_positions_notices_another_order():
    torch.manual_seed(0)
    shuffled, moved = torch.tensor([5, 2, 6, 0, 3, 1, 4]), {}
    src, tgt = torch.randint(4, 128, (1, 7)), torch.randint(4, 128, (1, 6))
    for kind in ("none", "sinusoidal"):
        model = Transformer(TransformerConfig.tiny(positions=kind)).double().eval()
        encoder = (model.encode(src[:, shuffled]).states - model.encode(src).states[:, shuffled]).abs().max()
        moved[kind] = encoder.item(), (model(src[:, shuffled], tgt) - model(src, tgt)).abs().max().item()
    assert max(moved["none"]) < 1e-12 < 1e-2 < min(moved["sinusoidal"])


@torch.no_grad()
def test_one_causal_layer_gives_its_last_row_a_set_and_two_layers_know_the_order():
    torch.manual_seed(0)
    first, second = (MultiHeadAttention(16, 4).double() for _ in range(2))
    x, mask = torch.randn(1, 6, 16).double(), causal_mask(6)
    swapped = x[:, [1, 0, 2, 3, 4, 5]]
    once, again = first(x, mask=mask)[0], first(swapped, mask=mask)[0]
    assert (again - once)[0, -1].abs().max() < 1e-12
    assert (second(again, mask=mask)[0] - second(once, mask=mask)[0])[0, -1].abs().max() > 1e-4


def test_four_rows_of_width_four_with_a_calculator():
    wanted = [[math.sin(n), math.cos(n), math.sin(n / 100), math.cos(n / 100)] for n in range(4)]
    torch.testing.assert_close(sinusoidal_positions(4, 4).double(), torch.tensor(wanted).double(), atol=1e-7, rtol=0)


def test_a_shift_is_the_same_everywhere_can_be_undone_and_two_make_one():
    rows = sinusoidal_positions(300, 64).double()
    five, back, twelve, both = (shift_rotation(n, 64) for n in (5, -5, 12, 17))
    for difference in (rows[:-5] @ five.T - rows[5:], back @ five - torch.eye(64), twelve @ five - both):
        assert difference.abs().max() < 1e-6


def test_only_rows_that_a_sentence_reaches_get_a_gradient():
    learned = Transformer(TransformerConfig.tiny(positions="learned", max_len=12))
    src, tgt = torch.arange(4, 11)[None], torch.arange(4, 10)[None]
    (gradient,) = torch.autograd.grad(learned(src, tgt).logsumexp(-1).sum(), learned.positions)
    assert (gradient.abs().sum(-1) > 0).tolist() == [True] * 7 + [False] * 5


def test_every_diagonal_of_rotary_scores_holds_one_number_here_and_a_thousand_positions_on():
    torch.manual_seed(1)
    q, k = (torch.randn(1, 8).expand(5, 8) for _ in range(2))
    scores = rotate_by_position(q) @ rotate_by_position(k).T
    later = rotate_by_position(q, start=1000) @ rotate_by_position(k, start=1000).T
    assert (later - scores).abs().max() < 1e-3
    for n in range(-4, 5):
        assert (scores.diagonal(n) - scores.diagonal(n)[0]).abs().max() < 1e-4
