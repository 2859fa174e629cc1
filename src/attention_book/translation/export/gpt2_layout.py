"""The weights of a decoder-only model under the names and shapes that the open library *transformers* gives to GPT-2.

The layout holds nothing new: three matrices stand side by side in one, and matrices are stored as (in, out), where
torch's linear layers have (out, in). GPT-2's code adds positions from a table and has no factor √d_model. So the table
holds our sinusoids, and the input embedding is stored already multiplied; the output layer keeps the unscaled one.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from ...models.one_stack.decoder_only import DecoderOnly

Layout = dict[str, Float[Tensor, "..."]]
SETTINGS = {"activation_function": "relu", "tie_word_embeddings": False, "layer_norm_epsilon": 1e-5}
"""What such a model's configuration has to say beside its sizes: GPT-2 itself has a GELU, and ties its embeddings."""
_JOINED = {"attn.c_attn": ("self_attention.w_q", "self_attention.w_k", "self_attention.w_v")}
_LINEAR = {
    "attn.c_proj": "self_attention.w_o",
    "mlp.c_fc": "feed_forward.w_1",
    "mlp.c_proj": "feed_forward.w_2",
}
_NORMS = {"ln_1": "add_attention.norm", "ln_2": "add_feed_forward.norm"}


def layout_names(n_layers: int) -> dict[str, tuple[str, ...]]:
    """For each name of the layout our names: one, three where matrices are joined, none for what we compute.

    Args:
        n_layers: layers of the stack.
    """
    names: dict[str, tuple[str, ...]] = {"transformer.wte.weight": ("embedding.weight",), "transformer.wpe.weight": ()}
    for n in range(n_layers):
        ours, theirs = f"stack.layers.{n}.", f"transformer.h.{n}."
        for table in (_NORMS, _JOINED, _LINEAR):
            for other, own in table.items():
                for kind in ("weight", "bias"):
                    parts = (own,) if isinstance(own, str) else own
                    names[f"{theirs}{other}.{kind}"] = tuple(f"{ours}{part}.{kind}" for part in parts)
    ends = {f"transformer.ln_f.{kind}": (f"stack.norm.{kind}",) for kind in ("weight", "bias")}
    return names | ends | {"lm_head.weight": ("embedding.weight",)}


def to_gpt2_layout(model: DecoderOnly) -> Layout:
    """The model's weights by the layout's names, copied.

    Raises:
        ValueError: if the model is post-norm, has no biases or has a prefix mask, which GPT-2's code cannot express.
    """
    if model.config.norm != "pre" or not model.config.bias or model.prefix:
        raise ValueError("the layout of GPT-2 is for causal pre-norm models with biases")
    own, found = model.state_dict(), {}
    for name, parts in layout_names(model.config.n_layers).items():
        if not parts:
            found[name] = model.positions.clone()
            continue
        joined = torch.cat([own[part] for part in parts])
        found[name] = joined.T.contiguous() if _is_turned(name) else joined.clone()
    found["transformer.wte.weight"] *= math.sqrt(model.config.d_model)
    return found


def from_gpt2_layout(layout: Layout, model: DecoderOnly) -> None:
    """Put the weights of :func:`to_gpt2_layout` into a model of the same sizes.

    Raises:
        ValueError: if names are missing or unknown, the two embeddings differ by more than the factor √d_model, or the
            table of positions is not that of our sinusoids: our model ties the first and computes the second.
    """
    names = layout_names(model.config.n_layers)
    if differing := sorted(names.keys() ^ layout.keys()):
        raise ValueError(f"not a layout of {model.config.n_layers} layers: {', '.join(differing[:3])}")
    read, written = layout["transformer.wte.weight"], layout["lm_head.weight"]
    if read.shape != written.shape or not torch.allclose(read, written * math.sqrt(model.config.d_model)):
        raise ValueError("the embeddings of input and output are not tied, as those of our models are")
    table = layout["transformer.wpe.weight"]
    if table.shape != model.positions.shape or not torch.allclose(table.to(model.positions), model.positions):
        raise ValueError("the positions are not the sinusoids of this model")
    found = {}
    for name, parts in names.items():
        whole = layout[name].T if _is_turned(name) else layout[name]
        if name != "transformer.wte.weight" and parts:  # lm_head has the embedding as we keep it
            found |= dict(zip(parts, whole.chunk(len(parts)), strict=True))
    model.load_state_dict(found)


def _is_turned(name: str) -> bool:
    """Whether a matrix is stored as (in, out): those of GPT-2's own linear layers, which it calls Conv1D."""
    return name.endswith("weight") and any(part in name for part in (*_JOINED, *_LINEAR))
