"""F rows about heads and their shapes: where keys come from, whose the masks are, how the heads are joined."""

from typing import Any

import torch

from ...attention.dot_product import scaled_dot_product_attention
from ...attention.masks import causal_mask, combine_masks, leak, padding_mask
from ...attention.multi_head import MultiHeadAttention, merge_heads, split_heads
from ...models.config import TransformerConfig
from ...studies.heads.source_readings import distance_numbers
from ...translation.shipped_translator import shipped
from ..claim import Claim, Verdict
from ..drawn import attention_layer, normal

ROUNDING = 1e-12


def keys_and_values() -> dict[str, Any]:
    """F03: the keys and values of the translator's attention to the source, beside the encoder output."""
    made = distance_numbers(shipped(), "I like cats.")
    return {
        "layers": len(shipped().model.decoder.layers),
        "keys_and_values": made["n_made"],
        "different_from_memory_and_each_other": made["n_different"],
        "smallest_distance": made["smallest"],
    }


def decide_keys_and_values(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F03: made from it, by matrices of each layer."""
    if not value["different_from_memory_and_each_other"]:
        return "right", "All keys and values equal the encoder output."
    why = (
        f"They are made from it by matrices that each layer has for itself, W^K and W^V: the {value['layers']} layers "
        f"of the translator have {value['keys_and_values']} sequences of keys or values, of which "
        f"{value['different_from_memory_and_each_other']} differ from the encoder output and from each other. What is "
        "the same for all layers is the encoder output itself."
    )
    return "wrong", why


def masks_of_heads() -> dict[str, Any]:
    """F07: how many masks the heads of a layer get, and whether a copy for each head changes anything."""
    tokens = torch.tensor([[1, 5, 6, 7], [1, 5, 6, 0]])
    mask, states = combine_masks(causal_mask(4), padding_mask(tokens)), normal(2, 4, 8)
    layer = attention_layer(8, 4)
    weights = [layer(states, mask=m, need_weights=True)[1] for m in (mask, mask.expand(2, 4, 4, 4).clone())]
    scores = layer(states, need_weights=True)[1]
    return {
        "heads": layer.n_heads,
        "masks": mask.shape[1],
        "difference_with_a_copy_for_each": float((weights[0] - weights[1]).abs().max()),
        "heads_with_weights_of_their_own": len(
            {tuple(head.round(decimals=6).flatten().tolist()) for head in scores[0]}
        ),
    }


def decide_masks_of_heads(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F07: applied in each head, one for all."""
    if value["masks"] == value["heads"] or value["difference_with_a_copy_for_each"] > ROUNDING:
        return "right", f"{value['heads']} heads have {value['masks']} masks."
    why = (
        f"Every head's scores are masked, by the same mask: {value['masks']} serves {value['heads']} heads, broadcast "
        f"over their axis, and a copy for each changes the weights by {value['difference_with_a_copy_for_each']:g}. "
        f"What differs from head to head is the scores ({value['heads_with_weights_of_their_own']} different tables of "
        "weights). A mask of its own for each head is possible; the Transformer has none."
    )
    return "wrong", why


def mask_shapes() -> dict[str, list[int]]:
    """F08: the masks of two padded sentences, as the model makes them."""
    src, tgt = torch.tensor([[5, 6, 7, 2, 0], [5, 6, 7, 8, 2]]), torch.tensor([[1, 5, 6, 7], [1, 5, 6, 0]])
    return {
        "source": list(src.shape),
        "target": list(tgt.shape),
        "encoder": list(padding_mask(src).shape),
        "decoder": list(combine_masks(causal_mask(tgt.shape[1]), padding_mask(tgt)).shape),
    }


def decide_mask_shapes(value: dict[str, list[int]]) -> tuple[Verdict, str]:
    """F08: both hold; a third mask is left out."""
    (b, src_len), (_, tgt_len) = value["source"], value["target"]
    shown = {name: " × ".join(map(str, value[name])) for name in ("encoder", "decoder")}
    if value["encoder"] != [b, 1, 1, src_len] or value["decoder"] != [b, 1, tgt_len, tgt_len]:
        return "wrong", f"The encoder's mask is {shown['encoder']} and the decoder's {shown['decoder']}."
    why = (
        f"For {b} sources of {src_len} tokens and targets of {tgt_len} they are {shown['encoder']} and "
        f"{shown['decoder']}: whom a source token may attend to does not depend on who asks, and in the target it "
        "does. The decoder's attention to the source uses the encoder's mask."
    )
    return "right", why


def joined_heads() -> dict[str, Any]:
    """F09: the heads laid side by side, against a bare reshape and a reshape after the transpose."""
    heads = normal(2, 4, 5, 3)  # batch, heads, positions, width of a head
    side_by_side = torch.cat(list(heads.unbind(dim=1)), dim=-1)
    bare, transposed = heads.reshape(2, 5, 12), merge_heads(heads)
    x, layer, may = normal(5, 8), attention_layer(8, 4), causal_mask(5)

    def with_bare_reshape(x):
        q, k, v = (split_heads(w(x[None]), 4) for w in (layer.w_q, layer.w_k, layer.w_v))
        return layer.w_o(scaled_dot_product_attention(q, k, v, may)[0].reshape(1, 5, 8))[0]

    return {
        "rows": 2 * 5,
        "rows_right_with_a_bare_reshape": int((bare == side_by_side).all(dim=-1).sum()),
        "rows_right_after_the_transpose": int((transposed == side_by_side).all(dim=-1).sum()),
        "leak_of_a_bare_reshape": leak(with_bare_reshape, x),
        "leak_after_the_transpose": leak(lambda x: layer(x[None], mask=may)[0][0], x),
    }


def decide_joined_heads(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F09: after a transpose it is."""
    if value["rows_right_with_a_bare_reshape"] == value["rows"]:
        return "right", "A reshape lays the heads side by side."
    why = (
        "A reshape after a transpose. From (batch, heads, length, d_v) a bare reshape gives the right shape and "
        f"{value['rows_right_with_a_bare_reshape']} of {value['rows']} rows right, as it mixes positions (past a "
        f"causal mask it leaks {value['leak_of_a_bare_reshape']:.2f}); with heads and length transposed first all "
        f"{value['rows_right_after_the_transpose']} are, and the leak is {value['leak_after_the_transpose']:g}."
    )
    return ("misleading" if value["rows_right_after_the_transpose"] == value["rows"] else "wrong"), why


def concat_widths() -> dict[str, Any]:
    """F17: the joined heads and W_O for the paper's sizes and for values of another width."""
    config = TransformerConfig.base()
    with torch.device("meta"):
        layers = [MultiHeadAttention(config.d_model, config.n_heads, d_v=d_v) for d_v in (None, 5)]
    return {
        "d_model": config.d_model,
        "heads": config.n_heads,
        "layers": [{"d_v": it.d_v, "concat": it.w_o.in_features, "w_o": list(it.w_o.weight.T.shape)} for it in layers],
    }


def decide_concat_widths(value: dict[str, Any]) -> tuple[Verdict, str]:
    """F17: the paper's sizes, not the formula."""
    usual, other = value["layers"]
    right = [it["w_o"] == [value["d_model"]] * 2 for it in (usual, other)]
    if all(right):
        return "right", "W_O is d_model × d_model at any width of the values."
    why = (
        f"So it is for the paper's sizes, {value['heads']} · {usual['d_v']} = {usual['concat']}, and wherever h · d_v "
        "= d_model. In general the joined heads are h · d_v wide and W_O is h · d_v × d_model (Vaswani et al. 2017, "
        f"§3.2.2): with d_v = {other['d_v']} it is {' × '.join(map(str, other['w_o']))}."
    )
    return ("misleading" if right[0] else "wrong"), why


CLAIMS = (
    Claim(
        "F03",
        "The keys and values of the attention to the source are the encoder output itself.",
        keys_and_values,
        decide_keys_and_values,
        "attention/one-memory#one-memory",
    ),
    Claim(
        "F07",
        "Each head has a mask of its own, since heads are masked independently.",
        masks_of_heads,
        decide_masks_of_heads,
        "attention/mask-conventions#conventions-heads",
    ),
    Claim(
        "F08",
        "For b sentences of l tokens the encoder's mask is b × 1 × 1 × l and the decoder's b × 1 × l × l.",
        mask_shapes,
        decide_mask_shapes,
        "attention/translator-masks#masks-three",
    ),
    Claim(
        "F09",
        "To concatenate the heads is nothing more than a reshape.",
        joined_heads,
        decide_joined_heads,
        "attention/splitting-heads#multi-head-merge",
    ),
    Claim(
        "F17",
        "The joined heads are d_model wide, and W_O is d_model × d_model.",
        concat_widths,
        decide_concat_widths,
        "attention/splitting-heads#multi-head-merge",
    ),
)
