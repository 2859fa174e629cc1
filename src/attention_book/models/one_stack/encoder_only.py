"""An encoder without a decoder: one state per token, made from the whole sentence, and what can be read from it."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ...attention.masks import padding_mask
from ...attention.positions import sinusoidal_positions
from ..blocks import Encoder
from ..config import TransformerConfig

Tokens = Int[Tensor, "batch length"]


class EncoderOnly(nn.Module):
    r"""The encoder of the Transformer with an output layer: a guess for every token from the tokens on both sides.

    With the states H of the last layer, one row per token, and the embedding matrix E, one row per word,

    .. math:: P(\text{word at } i \mid \text{what is seen}) = \operatorname{softmax}(h_i E^\top + b)

    Devlin et al. 2019, §3.1; their output layer has one more linear layer before E.

    Args:
        config: as for :class:`..transformer.Transformer`, with ``n_layers`` of the one stack; embeddings are tied and
            positions sinusoidal.

    Raises:
        ValueError: if the configuration asks for other positions, or for embeddings that are not tied.

    Pitfall: the row of a word that is seen may read the word itself. A loss on such rows teaches copying.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        if config.positions != "sinusoidal" or not config.tie_embeddings:
            raise ValueError("an encoder-only model of this book has sinusoidal positions and tied embeddings")
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = Encoder(config)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.dropout = nn.Dropout(config.dropout)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=config.d_model**-0.5)
        table = sinusoidal_positions(config.max_len, config.d_model)
        self.register_buffer("positions", table, persistent=False)

    def embed(self, ids: Tokens) -> Float[Tensor, "batch length d_model"]:
        """One vector per token, which knows the token and its position and nothing of the others.

        Raises:
            ValueError: if there are more tokens than the model has positions.
        """
        if ids.shape[1] > self.config.max_len:
            raise ValueError(f"{ids.shape[1]} tokens are more than the max_len={self.config.max_len} of this model")
        scaled = self.embedding(ids) * math.sqrt(self.config.d_model)
        return self.dropout(scaled + self.positions[: ids.shape[1]])

    def states(self, ids: Tokens, mask: Bool[Tensor, "..."] | None = None) -> Float[Tensor, "batch length d_model"]:
        """One state per token, made from all tokens that are not padding.

        Args:
            ids: token ids, padded with ``pad_id``.
            mask: True where a token may attend; the padding is hidden if None, and nothing else.
        """
        if mask is None:
            mask = padding_mask(ids, self.config.pad_id)
        return self.encoder(self.embed(ids), mask)[0]

    def forward(self, ids: Tokens) -> Float[Tensor, "batch length vocab_size"]:
        """Logits for the word at every position, the position's own token included in what is seen."""
        return self.states(ids) @ self.embedding.weight.T + self.bias


class SentenceLabeller(nn.Module):
    r"""A label for a whole sentence: a linear layer on the mean of the states.

    .. math:: \text{logits} = W \cdot \frac{1}{n} \sum_i h_i + c

    Args:
        encoder: whose states are read; it is trained along unless ``frozen``.
        n_labels: how many labels there are.
        frozen: leave the encoder as it is, and train the linear layer alone (a *linear probe*).
    """

    def __init__(self, encoder: EncoderOnly, n_labels: int = 2, frozen: bool = False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.head = nn.Linear(encoder.config.d_model, n_labels)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tokens) -> Float[Tensor, "batch n_labels"]:
        """Logits of the labels, one row per sentence."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            states = self.encoder.states(ids)
        real = (ids != self.encoder.config.pad_id)[..., None]
        mean = (states * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return self.head(mean)

    def train(self, mode: bool = True) -> "SentenceLabeller":
        """Training mode; a frozen encoder stays in evaluation mode, without dropout."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self
