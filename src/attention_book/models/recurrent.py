"""Recurrent encoder–decoders: the last state only, or attention over all states; and what a search needs of them."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..attention.scores import Score, attend
from . import cells
from .recurrent_config import RecurrentConfig

__all__ = ["RecurrentConfig", "RecurrentEncoderDecoder", "RecurrentMemory", "RecurrentState", "reversed_places"]

_FUSED = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
_OURS = {"rnn": cells.RNN, "gru": cells.GRU, "lstm": cells.LSTM}
Hidden = tuple[Float[Tensor, "n_layers batch decoder_width"], ...]
"""The decoder's own state: (h,) of an RNN or a GRU, (h, c) of an LSTM."""


@dataclass(frozen=True)
class RecurrentMemory:
    """What the encoder hands to the decoder.

    Attributes:
        states: one vector a source position, in the order of the source; what attention mixes.
        mask: True where the source position is a real token.
        first: the decoder's first state, made of the encoder's last one.
        keys: what the score needs of the states, whatever the query; None without attention.
    """

    states: Float[Tensor, "batch src_len memory_width"]
    mask: Bool[Tensor, "batch src_len"]
    first: Hidden
    keys: Float[Tensor, "batch src_len width"] | None

    def reorder(self, rows: Int[Tensor, " rows"]) -> "RecurrentMemory":
        """The memory of the chosen batch rows, in that order."""
        first = tuple(state[:, rows] for state in self.first)
        return RecurrentMemory(
            self.states[rows], self.mask[rows], first, None if self.keys is None else self.keys[rows]
        )


@dataclass(frozen=True)
class RecurrentState:
    """A partly decoded batch: the memory and the decoder's own state. Stepping makes a new state."""

    memory: RecurrentMemory
    hidden: Hidden

    def reorder(self, rows: Int[Tensor, " rows"]) -> "RecurrentState":
        """The state of the chosen batch rows, in that order; rows may repeat or be left out."""
        return RecurrentState(self.memory.reorder(rows), tuple(state[:, rows] for state in self.hidden))


def reversed_places(real: Bool[Tensor, "batch length"]) -> Int[Tensor, "batch length"]:
    """Where each place of a reversed sentence is read from: the words turned round, ``</s>`` and padding as they were.

    Args:
        real: True at the real tokens, which come first; the last of them is ``</s>``.

    Returns:
        Indices for ``gather``; applying them twice restores the order.
    """
    places = torch.arange(real.shape[1], device=real.device).expand_as(real)
    last = real.sum(dim=1, keepdim=True) - 1  # the place of </s>
    return torch.where(places < last, last - 1 - places, places)


class RecurrentEncoderDecoder(nn.Module):
    r"""An encoder–decoder of recurrent layers, with attention over the encoder's states or without.

    The encoder turns the source into states :math:`h_1, …, h_n`. The decoder starts from the encoder's last state,
    :math:`s_0 = \tanh(W h_{\text{last}})`, and at target place t

    .. math::
        c_t &= \sum_j \alpha_{tj} h_j, \qquad \alpha_{tj} = \operatorname{softmax}_j(e(s, h_j)) \\
        s_t &= f(s_{t-1}, [y_{t-1}; c_t]) \\
        p(y_t \mid \cdot) &= \operatorname{softmax}(E \tanh(W_o [s_t; y_{t-1}; c_t]))

    Here :math:`y_{t-1}` stands for the embedded token before, and E for the embeddings, shared by source, target and
    output. With ``asks="before"`` the query s is :math:`s_{t-1}` (Bahdanau et al. 2015, §3.1 and appendix A, with tanh
    in the place of their maxout layer). With ``asks="after"`` it is :math:`s_t`, and the cell reads :math:`y_{t-1}`
    alone (Luong et al. 2015, §3). Without attention :math:`c_t` is left out (Sutskever et al. 2014), or with
    ``reminds="always"`` it is :math:`s_0` at every step (Cho et al. 2014).

    Ids come batch first, as for :class:`attention_book.models.transformer.Transformer`, which this class can stand in
    for.

    Args:
        config: the shape.

    Pitfall: a model starts in training mode; call ``eval()`` before translating, or dropout stays on.
    """

    def __init__(self, config: RecurrentConfig):
        super().__init__()
        self.config = config
        layers = (_FUSED if config.fused else _OURS)[config.cell]
        options = {"num_layers": config.n_layers, "batch_first": True}
        self.embedding = nn.Embedding(config.vocab_size, config.d_embedding)
        self.encoder = layers(config.d_embedding, config.encoder_width, bidirectional=config.bidirectional, **options)
        n_states = 2 if config.cell == "lstm" else 1
        self.bridges = nn.ModuleList(nn.Linear(config.memory_width, config.decoder_width) for _ in range(n_states))
        self.decoder = layers(config.d_embedding + config.fed_width, config.decoder_width, **options)
        if config.score:
            self.score = Score(config.score, config.decoder_width, config.memory_width, config.d_attention)
        told = config.decoder_width + config.d_embedding + config.context_width
        self.readout = nn.Linear(told, config.d_embedding)
        self.dropout = nn.Dropout(config.dropout)
        nn.init.normal_(self.embedding.weight, std=config.d_embedding**-0.5)
        for linear in (*self.bridges, self.readout):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def _embed(self, tokens: Tensor) -> Tensor:
        if tokens.shape[1] > self.config.max_len:
            raise ValueError(f"{tokens.shape[1]} tokens are more than the max_len={self.config.max_len} of this model")
        return self.dropout(self.embedding(tokens) * math.sqrt(self.config.d_embedding))

    def encode(self, src: Int[Tensor, "batch src_len"]) -> RecurrentMemory:
        """Read the source.

        Args:
            src: source ids, padded at the end with ``pad_id``.

        Raises:
            ValueError: if it is longer than ``max_len``.
        """
        real = src != self.config.pad_id
        places = reversed_places(real) if self.config.reverse_source else None
        x = self._embed(src if places is None else src.gather(1, places))
        with _full_precision(x):
            states, last = run_layers(self.encoder, x, lengths=real.sum(dim=1))
            if places is not None:
                states = states.gather(1, places[..., None].expand_as(states))
            first = tuple(
                bridge(_both_directions(state, self.config.n_layers))
                for bridge, state in zip(self.bridges, last, strict=True)
            )
            keys = self.score.prepare(states) if self.config.score else None
        return RecurrentMemory(states, real, (first[0].tanh(), *first[1:]), keys)

    def _attend(self, queries: Tensor, memory: RecurrentMemory) -> tuple[Tensor, Tensor]:
        """The contexts and weights of queries (batch, q_len, decoder_width)."""
        scores = self.score(queries, memory.states, memory.keys)
        return attend(scores, memory.states, memory.mask[:, None])

    def _advance(
        self, embedded: Tensor, memory: RecurrentMemory, hidden: Hidden
    ) -> tuple[Tensor, Tensor | None, Tensor | None, Hidden]:
        """Take the decoder through embedded tokens: its states, the contexts, the weights, its last state."""
        if self.config.score is None:
            contexts = None
            if self.config.reminds == "always":
                contexts = memory.first[0][-1][:, None].expand(-1, embedded.shape[1], -1)
                embedded = torch.cat([embedded, contexts], dim=-1)
            states, hidden = run_layers(self.decoder, embedded, hidden)
            return states, contexts, None, hidden
        if self.config.asks == "after":
            states, hidden = run_layers(self.decoder, embedded, hidden)
            return states, *self._attend(states, memory), hidden
        found = []
        for y in embedded.split(1, dim=1):  # (batch, 1, d_embedding)
            context, weights = self._attend(hidden[0][-1][:, None], memory)
            state, hidden = run_layers(self.decoder, torch.cat([y, context], dim=-1), hidden)
            found.append((state, context, weights))
        states, contexts, weights = (torch.cat(parts, dim=1) for parts in zip(*found, strict=True))
        return states, contexts, weights, hidden

    def _decode(self, tgt: Tensor, memory: RecurrentMemory, hidden: Hidden) -> tuple[Tensor, Tensor | None, Hidden]:
        """Logits, attention weights, and the decoder's state after the last token."""
        y = self._embed(tgt)
        with _full_precision(y):
            states, contexts, weights, hidden = self._advance(y, memory, hidden)
        parts = [states, y] if contexts is None else [states, y, contexts]
        read = torch.tanh(self.readout(torch.cat(parts, dim=-1)))
        return F.linear(self.dropout(read), self.embedding.weight), weights, hidden

    def decode(
        self, tgt: Int[Tensor, "batch tgt_len"], memory: RecurrentMemory
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Score the next token after each target position, the true tokens before it given (teacher forcing).

        Args:
            tgt: target ids starting with ``<s>``.
            memory: what :meth:`encode` returned.

        Returns:
            Logits; row i depends on ``tgt[:, : i + 1]`` only.

        Raises:
            ValueError: if the target is longer than ``max_len``.
        """
        return self._decode(tgt, memory, memory.first)[0]

    def forward(
        self, src: Int[Tensor, "batch src_len"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Encode the source and score the whole target, as in training."""
        return self.decode(tgt, self.encode(src))

    def start(self, memory: RecurrentMemory) -> RecurrentState:
        """The state of a search before the first token."""
        return RecurrentState(memory, memory.first)

    def step(
        self, tokens: Int[Tensor, " rows"], state: RecurrentState
    ) -> tuple[Float[Tensor, "rows vocab_size"], RecurrentState]:
        """Feed one token per row; the first is ``<s>``.

        Returns:
            ``(log_probs, state)``: log-probabilities of the next token, and the state after this one.
        """
        logits, _, hidden = self._decode(tokens[:, None], state.memory, state.hidden)
        return F.log_softmax(logits[:, -1], dim=-1), RecurrentState(state.memory, hidden)

    def attention_weights(
        self, src: Int[Tensor, "batch src_len"], tgt: Int[Tensor, "batch tgt_len"]
    ) -> dict[str, Float[Tensor, "1 batch 1 tgt_len src_len"]]:
        """The attention weights of one pass over a source and a target that starts with ``<s>``.

        Returns:
            ``cross``, with an axis of one layer and one of one head, as the Transformer's; row i belongs to target
            token i as input, and so to the prediction of the one after it. Nothing without attention.
        """
        memory = self.encode(src)
        weights = self._decode(tgt, memory, memory.first)[1]
        return {} if weights is None else {"cross": weights[None, :, None]}


def run_layers(
    layers: nn.Module, x: Tensor, hidden: Hidden | None = None, lengths: Tensor | None = None
) -> tuple[Tensor, Hidden]:
    """Run recurrent layers of torch or of this book over rows of different lengths.

    Args:
        layers: ``nn.RNN``, ``nn.GRU``, ``nn.LSTM``, or their counterparts in :mod:`attention_book.models.cells`.
        x: (batch, length, width).
        hidden: the first state, one tensor or two; zeros if None.
        lengths: real tokens of each row; all of them if None. The backward direction starts at a row's last one.

    Returns:
        The outputs, zero beyond a row's length, and the last state of each row as a tuple.
    """
    state = hidden[0] if hidden is not None and len(hidden) == 1 else hidden
    if not isinstance(layers, nn.RNNBase):
        outputs, state = layers(x, state, lengths)
    elif lengths is None:
        outputs, state = layers(x, state)
    else:
        packed = pack_padded_sequence(x, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False)
        packed, state = layers(packed, state)
        outputs, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])
    return outputs, state if isinstance(state, tuple) else (state,)


def _both_directions(state: Tensor, n_layers: int) -> Tensor:
    """(layers × directions, batch, width) to (layers, batch, directions × width)."""
    by_layer = state.reshape(n_layers, -1, *state.shape[1:])  # (layers, directions, batch, width)
    return by_layer.transpose(1, 2).flatten(2)


def _full_precision(like: Tensor) -> torch.autocast:
    """No half precision inside: a state runs through many steps, and its rounding errors with it."""
    return torch.autocast(like.device.type, enabled=False)
