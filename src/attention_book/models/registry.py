"""The two families of translation models, told apart by their configurations; and the sizes that have a name."""

from collections.abc import Callable
from typing import Any

from .config import TransformerConfig, shown
from .recurrent import RecurrentEncoderDecoder
from .recurrent_config import RecurrentConfig
from .transformer import Transformer

TranslationConfig = TransformerConfig | RecurrentConfig
TranslationModel = Transformer | RecurrentEncoderDecoder

PRESETS: dict[str, Callable[..., TranslationConfig]] = {
    "tiny": TransformerConfig.tiny,
    "small": TransformerConfig.small,
    "base": TransformerConfig.base,
    "rnn": RecurrentConfig.small_without_attention,
    "rnn-attention": RecurrentConfig.small,
}
"""What ``train --preset`` takes: three sizes of the Transformer, and a recurrent model without and with attention."""


def build(config: TranslationConfig) -> TranslationModel:
    """A new model of the configuration's family, its weights drawn from torch's random state."""
    return RecurrentEncoderDecoder(config) if isinstance(config, RecurrentConfig) else Transformer(config)


def config_from_dict(values: dict[str, Any]) -> TranslationConfig:
    """The configuration that wrote itself as ``values``; one that names no family is a Transformer's.

    Raises:
        ValueError: if the family is unknown, a field is unknown, or ``vocab_size`` is missing.
    """
    family = values.get("family", "transformer")
    if family == "recurrent":
        return RecurrentConfig.from_dict(values)
    if family != "transformer":
        raise ValueError(f"unknown family of models {shown(family)}: it must be transformer or recurrent")
    return TransformerConfig.from_dict({name: value for name, value in values.items() if name != "family"})
