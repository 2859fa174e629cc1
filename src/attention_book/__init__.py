"""Attention, Worked Out: the tested package behind the book. Names load their module on first use (PEP 562)."""

from importlib import import_module

_HOME = {
    "probability": "softmax softmax_jacobian entropy cross_entropy kl_divergence",
    "dot_product": "scaled_dot_product_attention",
    "masks": "causal_mask padding_mask lengths_mask combine_masks leak",
    "positions": "sinusoidal_positions shift_rotation learned_positions rotate_by_position",
    "multi_head": "MultiHeadAttention",
    "blocks": "FeedForward EncoderLayer DecoderLayer Encoder Decoder",
    "transformer": "Memory Transformer TransformerConfig",
    "cells": "RNN GRU LSTM",
    "additive": "Score additive_scores dot_scores general_scores concat_scores",
    "recurrent": "RecurrentEncoderDecoder",
    "recurrent_config": "RecurrentConfig",
    "losses": "label_smoothed_cross_entropy",
    "schedules": "noam_schedule warmup_then_decay",
    "subwords": "Subwords",
    "batching": "token_batches",
    "decoding": "Hypothesis greedy_decode beam_search exhaustive_search",
    "translator": "Translation Translator",
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
