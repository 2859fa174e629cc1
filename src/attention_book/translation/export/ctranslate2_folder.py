"""A translator as a folder that CTranslate2 reads, an engine for Transformers with no Python inside and no PyTorch."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from ...attention.multi_head import MultiHeadAttention
from ...data.subwords import Subwords, as_json
from ...models.transformer import Transformer
from ..translator import Translator
from .read_me import ctranslate2_read_me, sizes
from .whole_folder import require_free, require_packages, write_folder


def write_ctranslate2(translator: Translator, folder: str | Path, tell: Callable[[str], None] = lambda _: None) -> Path:
    """Write the model, the vocabulary, `export.json` and a README with a program that translates.

    Args:
        translator: with a Transformer whose values are as wide as its keys.
        folder: as in `whole_folder.write_folder`.
        tell: gets a line of text before the work begins.

    Returns:
        The folder.

    Raises:
        ValueError: CTranslate2 has no such model, or something else stands in the folder.
        MissingPackage: ctranslate2 is not installed.
        OSError: a file cannot be written.
    """
    model = translator.model
    if not isinstance(model, Transformer):
        raise ValueError(f"CTranslate2 runs Transformers, and this model is a {type(model).__name__}")
    config = model.config
    widths = sizes(config)
    if widths["d_k"] != widths["d_v"]:
        raise ValueError(
            f"CTranslate2 wants values as wide as keys, and this model has d_k={widths['d_k']} and "
            f"d_v={widths['d_v']}: export it with --onnx"
        )
    require_packages("--ctranslate2", "ctranslate2")
    require_free(Path(folder).expanduser())

    def fill(new: Path) -> None:
        tell("writing the model for CTranslate2")
        specification(model, translator.subwords).save(str(new))
        translator.subwords.save(new / "tokenizer.json")
        (new / "README.md").write_text(ctranslate2_read_me(config), encoding="utf-8")

    return write_folder(folder, {"kind": "ctranslate2", **widths}, fill)


def specification(model: Transformer, subwords: Subwords) -> Any:
    """CTranslate2's description of the model, with our weights in float32.

    Positions that are added are handed over as a table, also the sinusoidal ones, whose sines and cosines CTranslate2
    would put in another order; a model that is told of no positions gets a table of zeros.
    """
    from ctranslate2.specs import TransformerSpec
    from ctranslate2.specs.transformer_spec import TransformerDecoderSpec, TransformerEncoderSpec

    config = model.config
    options: dict[str, Any] = {"pre_norm": config.norm == "pre", "head_dim": sizes(config)["d_k"]}
    if config.positions == "rotary":
        options |= {"rotary_dim": 0, "rotary_interleave": True}  # all of a head, in pairs of neighbours
    encoder = TransformerEncoderSpec(config.n_layers, config.n_heads, **options)
    decoder = TransformerDecoderSpec(config.n_layers, config.n_heads, **options)
    _put_stack(encoder, encoder.embeddings[0], model.encoder, model.src_embedding, model)
    _put_stack(decoder, decoder.embeddings, model.decoder, model.tgt_embedding, model)
    for layer, ours in zip(encoder.layer, model.encoder.layers, strict=True):
        _put_self_attention(layer.self_attention, ours.self_attention)
        _put_norm(layer.self_attention.layer_norm, ours.add_attention.norm)
    for layer, ours in zip(decoder.layer, model.decoder.layers, strict=True):
        _put_self_attention(layer.self_attention, ours.self_attention)
        _put_norm(layer.self_attention.layer_norm, ours.add_self.norm)
        cross = ours.cross_attention
        _put_linear(layer.attention.linear[0], cross.w_q)
        _put_linear(layer.attention.linear[1], cross.w_k, cross.w_v)
        _put_linear(layer.attention.linear[2], cross.w_o)
        _put_norm(layer.attention.layer_norm, ours.add_cross.norm)
    _put_linear(decoder.projection, model.output)

    whole = TransformerSpec(encoder, decoder)
    vocabulary = json.loads(as_json(subwords))["model"]["vocab"]
    pieces = sorted(vocabulary, key=vocabulary.get)
    whole.register_source_vocabulary(pieces)
    whole.register_target_vocabulary(pieces)
    whole.config.bos_token, whole.config.eos_token = pieces[config.bos_id], pieces[config.eos_id]
    whole.config.decoder_start_token = pieces[config.bos_id]
    whole.config.add_source_eos = True
    whole.validate()
    whole.optimize(quantization=None)  # what is tied is written once
    return whole


def _put_stack(spec: Any, embeddings: Any, stack: nn.Module, embedding: nn.Embedding, model: Transformer) -> None:
    """What encoder and decoder have alike: embedding, positions, the last norm, and each layer's feed-forward part."""
    embeddings.weight = _array(embedding.weight)
    spec.scale_embeddings = True  # by √d_model
    if hasattr(spec, "position_encodings"):
        config, table = model.config, model.positions
        spec.position_encodings.encodings = _array(
            torch.zeros(config.max_len, config.d_model) if table is None else table
        )
    if model.config.norm == "pre":
        _put_norm(spec.layer_norm, stack.norm)
    for layer, ours in zip(spec.layer, stack.layers, strict=True):
        _put_linear(layer.ffn.linear_0, ours.feed_forward.w_1)
        _put_linear(layer.ffn.linear_1, ours.feed_forward.w_2)
        _put_norm(layer.ffn.layer_norm, ours.add_feed_forward.norm)


def _put_self_attention(spec: Any, attention: MultiHeadAttention) -> None:
    _put_linear(spec.linear[0], attention.w_q, attention.w_k, attention.w_v)
    _put_linear(spec.linear[1], attention.w_o)


def _put_linear(spec: Any, *layers: nn.Linear) -> None:
    """One linear layer, or several that read the same vectors, the rows of one matrix after those of the other."""
    spec.weight = np.concatenate([_array(layer.weight) for layer in layers])
    if layers[0].bias is not None:
        spec.bias = np.concatenate([_array(layer.bias) for layer in layers])


def _put_norm(spec: Any, norm: nn.LayerNorm) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _array(tensor: torch.Tensor) -> Float[np.ndarray, "..."]:
    return tensor.detach().cpu().float().numpy()
