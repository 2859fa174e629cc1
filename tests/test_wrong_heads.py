"""What goes wrong and keeps its shape: that it is wrong, how each law sees it, and that the right one is right."""

import pytest
import torch
from oracles import close, normal

from attention_book.masks import causal_mask, leak
from attention_book.multi_head import MultiHeadAttention
from attention_book.wrong_heads import merge_without_transpose, multi_head, split_without_transpose

LENGTH = WIDTH = 8
HEADS = 4
MATRICES = tuple(normal(4, WIDTH, WIDTH, seed=1) / WIDTH**0.5)
WRONG = {
    "split": {"split": split_without_transpose},
    "merge": {"merge": merge_without_transpose},
    **{f"w_{name} from the left": {"left": name} for name in "qkvo"},
}


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
