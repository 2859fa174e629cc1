"""How many parameters a model has, by its parts, and how many the paper's models have."""

import torch

from ...experiments.recurrent_study import parameters
from ...models.config import TransformerConfig
from ...models.transformer import Transformer


def parts_of(model: Transformer) -> dict[str, int]:
    """The parameters of a model with tied embeddings, by part: together they are all, for the output layer has none.

    Raises:
        ValueError: if its embeddings are not tied.
    """
    if not model.config.tie_embeddings:
        raise ValueError("the embeddings of this model are not tied: it has more parts than three")
    parts = {"embedding": model.src_embedding, "encoder": model.encoder, "decoder": model.decoder}
    return {name: parameters(part) for name, part in parts.items()}


def paper_counts() -> dict[str, int]:
    """The parameters of the paper's *base* and *big*, by name, with the vocabulary of the configuration."""
    with torch.device("meta"):  # shapes only: nothing is drawn or stored
        return {name: parameters(Transformer(getattr(TransformerConfig, name)())) for name in ("base", "big")}
