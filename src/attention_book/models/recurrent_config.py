"""The one description of a recurrent encoder–decoder: a frozen record, every field explained."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from ..attention.scores import ScoreKind
from .config import require_flag, require_id, require_names, require_probability, require_size, shown

CellKind = Literal["rnn", "gru", "lstm"]
Asks = Literal["before", "after"]
Reminds = Literal["once", "always"]


@dataclass(frozen=True)
class RecurrentConfig:
    """Everything that fixes the shape of a recurrent encoder–decoder.

    Attributes:
        vocab_size: number of subwords, shared by source and target, special tokens included.
        d_embedding: width of an embedded token, and of what the output layer reads.
        encoder_width: width of an encoder state, in each direction.
        decoder_width: width of a decoder state.
        cell: ``"rnn"`` (tanh; Elman 1990), ``"gru"`` (Cho et al. 2014) or ``"lstm"`` (Hochreiter and Schmidhuber 1997).
        n_layers: recurrent layers in the encoder, and again in the decoder.
        bidirectional: whether the encoder also reads from the end (Bahdanau et al. 2015, §3.2).
        reverse_source: whether the encoder gets the source words in reverse, ``</s>`` still last (Sutskever et al.
            2014, §3.3). The memory is handed on in the order of the source.
        score: how a decoder state is matched with the encoder states: ``"additive"``, ``"dot"``, ``"general"``,
            ``"concat"``; None hands over the encoder's last state and nothing else.
        asks: which decoder state asks. ``"before"``: the state before the step, and the answer goes into the step
            (Bahdanau et al. 2015, §3.1); ``"after"``: the state after it, and the answer goes to the output layer only
            (Luong et al. 2015, §3, without their input feeding).
        reminds: without attention, when the decoder gets the encoder's last state: ``"once"``, as its first state
            (Sutskever et al. 2014, §2), or ``"always"``, at every step and in the output layer too (Cho et al. 2014,
            §2.2).
        d_attention: width of the hidden layer of the scores that have one.
        dropout: probability of dropping a coordinate of an embedded token or of the output layer's input, in training.
        fused: whether torch's cells run, or those of :mod:`attention_book.models.cells`; the numbers are the same.
        max_len: longest sequence, special tokens included. The architecture needs no bound; a search does.
        pad_id: id of the padding token.
        bos_id: id of the start token ``<s>``.
        eos_id: id of the end token ``</s>``.

    Raises:
        ValueError: for a size, a probability or a name out of range; the message names the field.
    """

    vocab_size: int
    d_embedding: int = 256
    encoder_width: int = 256
    decoder_width: int = 512
    cell: CellKind = "gru"
    n_layers: int = 1
    bidirectional: bool = True
    reverse_source: bool = False
    score: ScoreKind | None = "additive"
    asks: Asks = "before"
    reminds: Reminds = "once"
    d_attention: int = 256
    dropout: float = 0.1
    fused: bool = True
    max_len: int = 256
    pad_id: int = 0
    bos_id: int = 1
    eos_id: int = 2

    def __post_init__(self):
        sizes = ("vocab_size", "d_embedding", "encoder_width", "decoder_width", "n_layers", "d_attention", "max_len")
        for name in sizes:
            require_size(name, getattr(self, name))
        require_probability("dropout", self.dropout)
        require_flag("bidirectional", self.bidirectional)
        require_flag("reverse_source", self.reverse_source)
        require_flag("fused", self.fused)
        for name, kinds in (("cell", CellKind), ("score", ScoreKind), ("asks", Asks), ("reminds", Reminds)):
            value = getattr(self, name)
            if value not in get_args(kinds) and not (name == "score" and value is None):
                raise ValueError(f"{name} must be one of {', '.join(get_args(kinds))}, got {shown(value)}")
        if self.score == "dot" and self.decoder_width != self.memory_width:
            raise ValueError(
                f"score='dot' needs decoder states as wide as encoder states: decoder_width={self.decoder_width}, "
                f"encoder states {self.memory_width}"
            )
        for name in ("pad_id", "bos_id", "eos_id"):
            require_id(name, getattr(self, name), self.vocab_size)
        if len({self.pad_id, self.bos_id, self.eos_id}) < 3:
            raise ValueError(f"pad_id={self.pad_id}, bos_id={self.bos_id} and eos_id={self.eos_id} must differ")
        if self.score and self.reminds == "always":
            raise ValueError("reminds='always' is for a model without attention: attention reminds at every step")

    @property
    def memory_width(self) -> int:
        """Width of an encoder state, both directions together."""
        return self.encoder_width * (2 if self.bidirectional else 1)

    @property
    def context_width(self) -> int:
        """Width of what the decoder is told of the source besides its first state; 0 if nothing."""
        if self.score:
            return self.memory_width
        return self.decoder_width if self.reminds == "always" else 0

    @property
    def fed_width(self) -> int:
        """Width of the part of it that goes into the cell."""
        return 0 if self.score and self.asks == "after" else self.context_width

    @classmethod
    def tiny(cls, vocab_size: int = 128, **changes: Any) -> "RecurrentConfig":
        """Widths 64: trains in seconds on one core; for tests and for the little language."""
        sizes = {"d_embedding": 64, "encoder_width": 32, "decoder_width": 64, "d_attention": 64, "dropout": 0.0}
        return cls(**{"vocab_size": vocab_size, **sizes, **changes})

    @classmethod
    def small(cls, vocab_size: int = 8000, **changes: Any) -> "RecurrentConfig":
        """With additive attention: 4.6 million parameters with 8 000 subwords, for a real corpus on two cores."""
        sizes = {"decoder_width": 352, "d_attention": 192, "dropout": 0.2}
        return cls(**{"vocab_size": vocab_size, **sizes, **changes})

    @classmethod
    def small_without_attention(cls, vocab_size: int = 8000, **changes: Any) -> "RecurrentConfig":
        """Without attention, and with as many parameters as :meth:`small`: the decoder's states are wider instead."""
        sizes = {"decoder_width": 400, "dropout": 0.2, "score": None, "reminds": "always"}
        return cls(**{"vocab_size": vocab_size, **sizes, **changes})

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON-ready values, and the family of the model."""
        return {"family": "recurrent", **asdict(self)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "RecurrentConfig":
        """The inverse of :meth:`to_dict`.

        Raises:
            ValueError: if a field is unknown or ``vocab_size`` is missing.
        """
        values = {name: value for name, value in values.items() if name != "family"}
        require_names("recurrent", values)
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        if unknown or "vocab_size" not in values:
            wrong = f"unknown fields {', '.join(unknown)}" if unknown else "vocab_size is missing"
            raise ValueError(f"not a recurrent configuration: {wrong}")
        return cls(**values)
