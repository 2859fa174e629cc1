"""*Masks and multi-head attention*: its references against torch and the package, and what its model answers claim."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_book.analysis.costs import of_attention
from attention_book.attention.mask_patterns import per_head, window_mask
from attention_book.attention.masks import causal_mask, combine_masks
from attention_book.attention.multi_head import MultiHeadAttention
from attention_book.attention.positions import sinusoidal_positions

NAME, VARIANT, SEED = "masks-and-heads", "cohort-3", 21


def random_weights(rng, layers, n, width=8):
    return rng.normal(size=(layers, width, width)) / 2, rng.normal(size=(n, width))


def test_a_pair_in_a_row_has_the_three_uses_as_its_blocks(answers):
    n_src, n_tgt = 4, 3
    mask = answers.packed_pairs_mask([(2, 1), (n_src, n_tgt)], 12)[3:10, 3:10]
    assert mask[:n_src, :n_src].all() and mask[n_src:, :n_src].all() and not mask[:n_src, n_src:].any()
    assert np.array_equal(mask[n_src:, n_src:], causal_mask(n_tgt).numpy())


def test_the_three_masks_together_give_torchs_weights(answers, rng):
    for by_head in (False, True):
        keep, drop, added = answers.three_masks(rng, by_head)
        allowed, bias = answers.in_our_form(keep, drop, added)
        added = torch.from_numpy(np.broadcast_to(added, bias.shape).copy())
        scores = torch.from_numpy(rng.normal(size=bias.shape))
        given = torch.from_numpy(drop).reshape(allowed.shape) | torch.from_numpy(keep == 0)[:, None, None]
        theirs = (scores + added).masked_fill(given | (added <= -1e4), -math.inf).softmax(dim=-1)
        ours = (scores + torch.from_numpy(bias)).masked_fill(~torch.from_numpy(allowed), -math.inf).softmax(dim=-1)
        assert torch.equal(theirs.nan_to_num(), ours.nan_to_num())


def test_to_rest_is_to_attend_to_one_more_key(answers, numbers, rng):
    scores, mask, values = answers.drawn_rows(rng)
    mask[-1] = False
    scores_of_all = np.c_[scores, np.full(len(scores), numbers.rest)]
    may = torch.from_numpy(np.c_[mask, np.ones(len(scores), bool)])
    weights = torch.from_numpy(scores_of_all).masked_fill(~may, -math.inf).softmax(dim=-1)
    outputs, rests = answers.attend_or_rest(scores, mask, values)
    assert np.allclose(weights[:, :-1] @ torch.from_numpy(values), outputs)
    assert np.allclose(weights[:, -1], rests) and rests[-1] == 1


def test_torchs_extra_key_is_a_place_to_rest_of_score_0(rng):
    layer = torch.nn.MultiheadAttention(4, 1, bias=False, add_zero_attn=True, batch_first=True)
    x = torch.from_numpy(rng.normal(size=(1, 3, 4))).float()
    hidden = torch.ones(3, 3, dtype=torch.bool)
    output, weights = layer(x, x, x, attn_mask=hidden)
    assert torch.equal(weights[0, :, -1], torch.ones(3)) and torch.equal(output, torch.zeros(1, 3, 4))


@pytest.mark.parametrize("case", [(1, 1, 10, False), (2, 2, 10, False), (1, 1, 2, False), (1, 0, 10, True)])
def test_what_is_read_is_what_the_wiring_says(answers, rng, case):
    layers, leaks, digits, centred = case
    for _ in range(25):
        model, x = answers.drawn_model(rng, layers, leaks, digits, centred)
        assert np.array_equal(answers.reads(model, x), answers.true_reads(model, x))


def test_an_output_that_is_nan_reads_nothing(answers, rng):
    for _ in range(25):
        model, x = answers.with_an_empty_row(rng)
        found = answers.reads(model, x)
        assert np.array_equal(found, answers.true_reads(model, x))
        assert (~found.any(axis=1)).sum() == 1


def test_the_model_answer_on_stale_keys_is_what_runs_show(answers, rng):
    neighbours = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) <= 1
    masks = {"causal": np.tri(5, dtype=bool), "prefix": answers.packed_pairs_mask([(2, 3)], 5), "both": neighbours}
    weights, x = random_weights(rng, 1, 5)
    stale = {}
    for name, mask in masks.items():
        four, five = (
            answers.decode({"masks": mask[None, :n, :n], "weights": weights, "centred": False, "digits": 10}, x[:n])
            for n in (4, 5)
        )
        stale[name] = np.flatnonzero((four != five[:4]).any(axis=1)).tolist()
    assert stale == {"causal": [], "prefix": [], "both": [3]}


def test_routes_through_equal_layers_are_powers(answers, rng):
    mask = rng.random((4, 4)) < 0.6
    assert np.array_equal(answers.routes([mask] * 5, False), np.linalg.matrix_power(mask.astype(int), 5))
    causal = np.tri(6, dtype=bool)
    paths = answers.routes([causal] * 3, False)[:, 0]
    assert paths.tolist() == [math.comb(i + 2, 2) for i in range(6)]


def test_a_cache_that_goes_round_gives_the_outputs_of_a_window(answers, rng):
    n, window, chunk = 11, 4, 3
    slots = answers.fewest_slots(chunk, window)
    q, k, v = (torch.from_numpy(rng.normal(size=(n, 5))) for _ in range(3))
    whole = F.scaled_dot_product_attention(q, k, v, attn_mask=window_mask(n, n, window))
    keys, values = torch.zeros(slots, 5, dtype=torch.double), torch.zeros(slots, 5, dtype=torch.double)
    for first in range(0, n, chunk):
        new = range(first, min(first + chunk, n))
        for position in new:
            keys[position % slots], values[position % slots] = k[position], v[position]
        mask = torch.from_numpy(answers.ring_mask(first, len(new), slots, window))
        part = F.scaled_dot_product_attention(q[new.start : new.stop], keys, values, attn_mask=mask)
        torch.testing.assert_close(part, whole[new.start : new.stop])


def loaded(layer_of, n_heads):
    """The package's layer with the matrices of a dictionary."""
    d_model = len(layer_of["w_q"])
    d_k, d_v = layer_of["w_q"].shape[1] // n_heads, layer_of["w_v"].shape[1] // n_heads
    layer = MultiHeadAttention(d_model, n_heads, d_k=d_k, d_v=d_v, bias="b_q" in layer_of).double()
    for name in "qkvo":
        linear = getattr(layer, f"w_{name}")
        linear.weight.data = torch.from_numpy(layer_of[f"w_{name}"].T.copy())
        if linear.bias is not None:
            linear.bias.data = torch.from_numpy(np.array(layer_of[f"b_{name}"]))
    return layer


def test_the_smaller_layer_gives_what_the_whole_one_gives_with_means_for_heads(answers, rng):
    layer_of, n_heads, kept, means = answers.layer_to_cut(rng)
    x = torch.from_numpy(rng.normal(size=(1, 5, len(layer_of["w_q"]))))
    joined, whole = [], loaded(layer_of, n_heads)
    whole.w_o.register_forward_pre_hook(lambda _, inputs: joined.append(inputs[0]))
    with torch.no_grad():
        whole(x)
        heads = joined[0].clone().unflatten(-1, (n_heads, -1))
        for head in set(range(n_heads)) - set(kept):
            heads[:, :, head] = torch.from_numpy(means[head])
        wanted = F.linear(heads.flatten(2), whole.w_o.weight, whole.w_o.bias)
        got, _ = loaded(answers.without_heads(layer_of, n_heads, kept, means), len(kept))(x)
    torch.testing.assert_close(got, wanted)


def test_windows_by_head_agree_with_the_packages_layer(answers, numbers, rng):
    x, w_q, w_k, w_v, w_o = answers.layer_of_three(rng)
    n = len(x)
    masks = [window_mask(n, n, w) if w else torch.zeros(n, n, dtype=torch.bool) for w in numbers.widths]
    layer = loaded({"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}, 3)
    with torch.no_grad():
        wanted, weights = layer(torch.from_numpy(x)[None], mask=combine_masks(per_head(*masks)), need_weights=True)
    got = answers.windowed_heads(x, w_q, w_k, w_v, w_o)
    assert np.allclose(got[0], wanted[0]) and np.allclose(got[1], weights[0])


def test_work_and_widths_agree_with_the_packages_counts(answers, numbers):
    d, n = 12, numbers.row
    count = of_attention(n, d, n_heads=3)
    whole = count["projections"] + count["scores"] + count["mixing"]
    assert answers.work([n, n], d)[:2] == (2 * whole, 2 * whole)
    assert answers.work([n, n], d)[2] == 2 * (count["projections"] + d * n * (n + 1))
    held = sum(p.numel() for p in MultiHeadAttention(10, 3, d_k=4).parameters())
    assert [answers.widest_heads(held + off, 10, 3) for off in (-1, 0)] == [3, 4]


def test_a_walk_over_the_books_positions_meets_them_all(answers, numbers):
    table = sinusoidal_positions(40, 8).double().numpy()
    if numbers.layout == "halves":
        table = np.c_[table[:, ::2], table[:, 1::2]]
    for n in (-3, 0, 1, 4):
        assert np.allclose(answers.walk(table[15], table[20], n), table[15 + 5 * n], atol=1e-4)
