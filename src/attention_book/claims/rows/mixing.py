"""F and M rows about what attention does with its values: order, the space entered, averages, look-ups."""

from typing import Any

import numpy as np
import torch

from ...analysis.recording import recording
from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask
from ...attention.positions import sinusoidal_positions
from ...attention.probability import softmax
from ...translation.shipped_translator import SENTENCES, ids, model
from ..claim import Claim, Verdict
from ..drawn import attention_layer, normal
from ..printed import in_tens

ROUNDING = 1e-12


def shuffled_words() -> dict[str, Any]:
    """F13: a self-attention and its input in another order, alone, with positions, and with a causal mask."""
    layer = attention_layer(8, 2)
    x, order = normal(1, 6, 8), torch.tensor([3, 0, 5, 1, 4, 2])
    positions, may = sinusoidal_positions(6, 8).double(), causal_mask(6)

    def moved(fn):
        return float((fn(x[:, order]) - fn(x)[:, order]).abs().max())

    return {
        "alone": moved(lambda x: layer(x)[0]),
        "with_positions": moved(lambda x: layer(x + positions)[0]),
        "with_a_causal_mask": moved(lambda x: layer(x, mask=may)[0]),
    }


def decide_shuffled_words(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F13: all at once is why they are needed."""
    if value["alone"] > ROUNDING:
        return "right", f"Another order changes the outputs by {value['alone']:.2f} without positions."
    why = (
        "All at once is why it needs them. Words in another order get the same outputs in that order, up to "
        f"{in_tens(value['alone'], 1)}, so it cannot tell who likes whom; with positions added, the outputs change by "
        f"up to {value['with_positions']:.2f}. A causal mask alone tells the order apart as well "
        f"({value['with_a_causal_mask']:.2f}); an encoder has none."
    )
    return "wrong", why


def spaces() -> dict[str, Any]:
    """M07: the shapes of each step, with sizes that are all different, and how many values have a part in an output."""
    m, n, d_k, d_v = 5, 7, 8, 3
    q, k, v = normal(m, d_k), normal(n, d_k, seed=2), normal(n, d_v, seed=3)
    output, weights = scaled_dot_product_attention(q, k, v)
    return {
        "d_v": d_v,
        "scores": list((q @ k.T).shape),
        "weights": list(weights.shape),
        "output": list(output.shape),
        "least_values_in_an_output": int((weights > 0).sum(dim=-1).min()),
        "largest_weight": float(weights.max()),
    }


def decide_spaces(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M07: numbers about pairs; nothing is selected."""
    n = value["weights"][1]
    if value["d_v"] in value["scores"] and value["least_values_in_an_output"] == 1:
        return "right", f"The scores have an axis of width d_v = {value['d_v']}, and one weight in a row is above 0."
    scores, output = (" × ".join(map(str, value[name])) for name in ("scores", "output"))
    why = (
        f"Q Kᵀ is {scores}: a number for each pair of positions, and no vector in any space. Softmax keeps that shape "
        f"and selects nothing: {value['least_values_in_an_output']} of the {n} weights of every row are above 0, the "
        f"largest of all being {value['largest_weight']:.2f}. The space of the values, {value['d_v']} wide, is entered "
        f"by the product with V alone, which mixes the rows of V: {output}."
    )
    return "wrong", why


def layer_outputs() -> dict[str, Any]:
    """M14: a head's output against its values, and a layer's output against its inputs, in the translator's encoder."""
    layer = model().encoder.layers[0]
    w_v, w_o = layer.self_attention.w_v, layer.self_attention.w_o
    outside = {"head": [], "layer": []}
    with recording(layer, w_v, w_o) as calls:
        for sentence in SENTENCES:
            model().encode(ids(sentence))
            (before, *_), (after, *_) = calls[layer][-1]
            (joined,), values = calls[w_o][-1].inputs, calls[w_v][-1].output
            for name, mixed, given in (("head", joined[0], values[0]), ("layer", after[0], before[0])):
                low, high = given.amin(dim=0) - ROUNDING, given.amax(dim=0) + ROUNDING
                outside[name] += ((mixed < low) | (mixed > high)).flatten().tolist()
    return {
        "positions": sum(ids(sentence).shape[1] for sentence in SENTENCES),
        "share_outside_the_range_of_the_values": sum(outside["head"]) / len(outside["head"]),
        "share_outside_the_range_of_the_inputs": sum(outside["layer"]) / len(outside["layer"]),
    }


def decide_layer_outputs(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M14: a coordinate of an average lies between the least and the greatest of what is averaged."""
    head, layer = value["share_outside_the_range_of_the_values"], value["share_outside_the_range_of_the_inputs"]
    if not head and not layer:
        return "right", "No coordinate of a layer's output lies outside the range of its inputs."
    why = (
        f"What a head gives is an average of values: {100 * head:.0f} % of its coordinates lie outside their range. "
        "Then come W_O, the residual sum and a feed-forward network. In the first encoder layer of the translator "
        f"{100 * layer:.0f} % of the output's coordinates lie outside the range of the embeddings that went in "
        f"({value['positions']} positions), where no average of them can be."
    )
    return ("wrong" if head else "misleading"), why


def look_ups() -> dict[str, Any]:
    """M16: attention at four temperatures against a hard look-up, and what a key that nobody stored gives."""
    q, k, v = normal(16, 8), normal(6, 8, seed=2), normal(6, 4, seed=3)
    scores = (q @ k.T).numpy()
    hard = v.numpy()[scores.argmax(axis=1)]
    temperatures = [1.0, 0.1, 0.01, 0.0001]
    distances = [float(np.abs(softmax(scores / c) @ v.numpy() - hard).max()) for c in temperatures]
    usual = softmax(scores / np.sqrt(8))
    return {
        "temperatures": temperatures,
        "distances_from_the_hard_look_up": distances,
        "keys_read_for_a_query": int((usual > 0).sum(axis=1).min()),
        "mean_largest_weight": float(usual.max(axis=1).mean()),
    }


def decide_look_ups(value: dict[str, Any]) -> tuple[Verdict, str]:
    """M16: the hard look-up is a limit."""
    first, last = value["distances_from_the_hard_look_up"][0], value["distances_from_the_hard_look_up"][-1]
    if first < ROUNDING:
        return "right", "At the temperature 1 attention returns the value of the best key."
    why = (
        f"Only in a limit. At the temperature {value['temperatures'][0]:g} the outputs differ from the best key's "
        f"value by up to {first:.2f}, at {value['temperatures'][-1]:g} by {last:.0g}. With the usual divisor every "
        f"query reads all {value['keys_read_for_a_query']} values (the largest weight is "
        f"{value['mean_largest_weight']:.2f} on average), where a hash table reads one; and a query that equals no key "
        "gets an answer, where a hash table has none."
    )
    return ("misleading" if last < ROUNDING else "wrong"), why


CLAIMS = (
    Claim(
        "F13",
        "Self-attention can do without positions, because it takes in all words at once.",
        shuffled_words,
        decide_shuffled_words,
        "attention/noticing-the-order#positions-equivariance",
    ),
    Claim(
        "M07",
        "Q Kᵀ lies in the space of the values; softmax picks one vector there, and its dot product with V is taken.",
        spaces,
        decide_spaces,
        "attention/scaled-dot-product#sdp-all-queries",
    ),
    Claim(
        "M14",
        "The embedding of a word in its context is an average of other such embeddings.",
        layer_outputs,
        decide_layer_outputs,
        "attention/what-a-score-can-do#sdp-average",
    ),
    Claim(
        "M16",
        "Attention looks a value up in a hash table.",
        look_ups,
        decide_look_ups,
        "attention/scaled-dot-product#sdp-softmax",
    ),
)
