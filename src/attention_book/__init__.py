"""Attention, Worked Out: the tested package behind the book. Names load their module on first use (PEP 562)."""

from importlib import import_module

_HOME = {
    "attention.probability": "softmax softmax_jacobian entropy cross_entropy kl_divergence",
    "attention.dot_product": "scaled_dot_product_attention",
    "attention.masks": "causal_mask padding_mask lengths_mask combine_masks leak",
    "attention.positions": "sinusoidal_positions shift_rotation learned_positions rotate_by_position",
    "attention.multi_head": "MultiHeadAttention",
    "models.blocks": "FeedForward EncoderLayer DecoderLayer Encoder Decoder",
    "models.transformer": "Memory Transformer TransformerConfig",
    "models.cells": "RNN GRU LSTM",
    "attention.scores": "Score additive_scores dot_scores general_scores concat_scores",
    "models.recurrent": "RecurrentEncoderDecoder",
    "models.recurrent_config": "RecurrentConfig",
    "training.losses": "label_smoothed_cross_entropy",
    "training.schedules": "noam_schedule warmup_then_decay",
    "data.subwords": "Subwords",
    "data.batching": "token_batches",
    "translation.decoding": "Hypothesis greedy_decode beam_search exhaustive_search",
    "translation.translator": "Translation Translator",
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}
__all__ = sorted(_MODULE_OF)
__version__ = "0.1.0"


def __getattr__(name):
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'attention_book' has no attribute {name!r}")
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__():
    return sorted([*globals(), *__all__])
