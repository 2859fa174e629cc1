"""What goes wrong and keeps its shape: that it is wrong, how each law sees it, and that the right one is right."""

import copy

import pytest
import torch
from oracles import close, normal

from attention_book.attention.masks import causal_mask, leak
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.examples.wrong_heads import (
    BOTH,
    SYMPTOMS_HEADER,
    WRONG,
    all_symptoms,
    cloned_heads,
    merge_without_transpose,
    multi_head,
    split_without_transpose,
    symptom_rows,
    symptoms,
)

LENGTH = WIDTH = 8
HEADS = 4
MATRICES = tuple(normal(4, WIDTH, WIDTH, seed=1) / WIDTH**0.5)


def run(x, mask=None, **wrong):
    return multi_head(x, *MATRICES, HEADS, mask, **wrong)


def test_without_a_mistake_it_is_the_layer():
    layer = MultiHeadAttention(WIDTH, HEADS, bias=False).double()
    with torch.no_grad():
        for name, matrix in zip(("w_q", "w_k", "w_v", "w_o"), MATRICES, strict=True):
            getattr(layer, name).weight.copy_(matrix.T)
    x, mask = normal(LENGTH, WIDTH), causal_mask(LENGTH)
    close(run(x, mask), layer(x[None], mask=mask)[0][0])


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_mistake_keeps_the_shape_leaks_and_breaks_the_permutation_law(wrong):
    x, mask, order = normal(LENGTH, WIDTH), causal_mask(LENGTH), torch.tensor([3, 1, 4, 7, 5, 0, 2, 6])
    assert run(x, **wrong).shape == x.shape
    assert not torch.allclose(run(x, **wrong), run(x))
    assert leak(lambda x: run(x, mask, **wrong), x) > 1e-2
    assert leak(lambda x: run(x, mask), x) == 0
    assert (run(x[order], **wrong) - run(x, **wrong)[order]).abs().max() > 1e-2
    close(run(x[order]), run(x)[order])


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_both_symptoms_show(wrong):
    leaking, disordered = symptoms(normal(LENGTH, WIDTH), MATRICES, HEADS, **wrong)
    assert leaking > 1e-2 and disordered > 1e-2


def test_the_right_layer_has_no_symptoms():
    leaking, disordered = symptoms(normal(LENGTH, WIDTH), MATRICES, HEADS)
    assert leaking == 0 and disordered < 1e-12


def test_every_mistake_leaks_and_the_right_layer_does_not():
    x, side = normal(8, 8), list(normal(4, 8, 8, seed=2) / 8**0.5)
    found = all_symptoms(x, side, 2)
    assert found["the right layer"][0] == 0 and min(found[name][0] for name in WRONG) > 0.01
    assert found["W_O from the left"] == symptoms(x, side, 2, left="o")
    rows = symptom_rows(found)
    assert rows[0] == ("the right layer", "0", "0") and [row[0] for row in rows[1:]] == list(WRONG)
    assert symptom_rows({"a": (0.5, 1e-13)}) == [("a", "0.500", "0")] and len(SYMPTOMS_HEADER) == 3


def test_both_transposes_forgotten_hide_each_other_and_the_right_layer_differs():
    x = normal(LENGTH, WIDTH)
    leaking, disordered = symptoms(x, MATRICES, HEADS, **BOTH)
    assert leaking == 0 and disordered < 1e-12
    assert (run(x, **BOTH) - run(x)).abs().max() > 1e-2
    assert symptoms(x[:-1], MATRICES, HEADS, **BOTH)[1] > 1e-2  # 4 heads do not divide 7 words


def test_cloned_heads_stay_one_head_until_something_tells_them_apart():
    assert cloned_heads(w_o_too=True) < 1e-12
    assert cloned_heads(w_o_too=False) > 1e-3
    assert cloned_heads(w_o_too=False, steps=0) == 0


def test_deep_copies_start_alike_and_their_scores_are_symmetric():
    first = torch.nn.Linear(WIDTH, WIDTH, bias=False).double()
    w_q, w_k = (copy.deepcopy(first) for _ in range(2))
    x = normal(LENGTH, WIDTH)
    scores = (w_q(x) @ w_k(x).T).detach()
    close(scores, scores.T)
    w_k.reset_parameters()
    assert not torch.allclose((w_q(x) @ w_k(x).T), (w_k(x) @ w_q(x).T))


def test_the_wrong_pieces_by_name():
    x = torch.arange(6.0).reshape(1, 3, 2)  # token t, head h: 2t + h
    assert split_without_transpose(x, 2)[0, :, :, 0].tolist() == [[0, 1, 2], [3, 4, 5]]
    heads = torch.tensor([[[[0.0], [2], [4]], [[1], [3], [5]]]])  # the right split
    assert merge_without_transpose(heads)[0].tolist() == [[0, 2], [4, 1], [3, 5]]


def test_a_view_of_the_transposed_is_refused_and_contiguous_copies():
    heads = normal(2, 4, 7, 5).transpose(1, 2)
    assert not heads.is_contiguous()
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        heads.view(2, 7, 20)
    assert torch.equal(heads.contiguous().view(2, 7, 20), torch.cat(list(heads.unbind(2)), dim=-1))


@pytest.mark.parametrize("name", "qkv")
def test_from_the_left_is_refused_unless_the_length_is_the_width(name):
    with pytest.raises(RuntimeError, match=r"cannot be multiplied|inconsistent tensor"):
        run(normal(LENGTH - 1, WIDTH), left=name)
