"""The one description of a Transformer: a frozen record, every field explained, four sizes named."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

Positions = Literal["sinusoidal", "learned", "rotary", "none"]

MOST_SUBWORDS, MOST_LAYERS, MOST_HEADS, WIDEST, LONGEST_TEXT = 2**20, 100, 2**10, 2**16, 2**16
"""The largest sizes that a configuration may name, so that one from elsewhere cannot ask for all of a machine."""
LARGEST_TABLE = 2**24
"""Numbers in a table of sinusoids, 64 MiB: no file of weights vouches for this one."""


_MOST = {
    "vocab_size": MOST_SUBWORDS,
    "n_layers": MOST_LAYERS,
    "n_heads": MOST_HEADS,
    "max_len": LONGEST_TEXT,
}


def require_size(name: str, value: Any, optional: bool = False) -> None:
    """Refuse what is no whole number from 1 to the largest of this name, or None if it is optional."""
    if type(value) is not int and not (optional and value is None):
        raise ValueError(f"{name} must be a whole number, got {shown(value)}")
    if value is not None and value < 1:
        raise ValueError(f"{name} must be at least 1, got {shown(value)}")
    if value is not None and value > _MOST.get(name, WIDEST):
        raise ValueError(f"{name} must be at most {_MOST.get(name, WIDEST)}, got {shown(value)}")


def require_probability(name: str, value: Any) -> None:
    """Refuse what is no share of coordinates to drop."""
    if type(value) not in (int, float):
        raise ValueError(f"{name} must be a number, got {shown(value)}")
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, got {shown(value)}")


def require_id(name: str, value: Any, vocab_size: int) -> None:
    """Refuse what is no id of a vocabulary of this size."""
    if type(value) is not int or not 0 <= value < vocab_size:
        raise ValueError(f"{name}={shown(value)} is not an id of a vocabulary of {vocab_size}")


def require_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if type(value) is not bool:
        raise ValueError(f"{name} must be true or false, got {shown(value)}")


def shown(value: Any) -> str:
    """A value as an error shows it: on one line, and not at any length."""
    huge = type(value) is int and abs(value) >= 10**60  # Python itself refuses to write out the very longest
    text = "a number of more than 60 digits" if huge else repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def require_names(kind: str, values: dict[str, Any]) -> None:
    """Refuse fields that no configuration has, where their names could not be shown on one line as they are."""
    odd = [name for name in values if not name.isidentifier() or len(name) > 60]
    if odd:
        raise ValueError(f"not a {kind} configuration: unknown fields {', '.join(map(shown, odd[:5]))}")
    if len(values) > 100:
        raise ValueError(f"not a {kind} configuration: it has {len(values)} fields")


@dataclass(frozen=True)
class TransformerConfig:
    """Everything that fixes a Transformer's shape.

    Attributes:
        vocab_size: number of subwords, shared by source and target, special tokens included.
        d_model: width of the vectors that run through the model.
        n_heads: attention heads in each attention; must divide ``d_model`` unless ``d_k`` is given.
        n_layers: layers in the encoder, and again in the decoder.
        d_ff: inner width of the position-wise feed-forward network.
        dropout: probability of dropping a coordinate of a sublayer's output, and of the embedded input, in training.
        attention_dropout: probability of dropping an attention weight in training.
        norm: ``"post"`` normalises after the residual sum, as in Vaswani et al. 2017, §3.1; ``"pre"`` normalises the
            input of each sublayer and once more at the end of each stack (Xiong et al. 2020), which trains at higher
            rates and without a long warm-up.
        tie_embeddings: one matrix serves as source embedding, target embedding and output layer (Press and Wolf 2017;
            Vaswani et al. 2017, §3.4). Otherwise there are three.
        bias: whether the attention projections add a bias.
        positions: how the model is told where a token stands. ``"sinusoidal"`` adds the fixed vectors of Vaswani et
            al. 2017, §3.5, to source and target; ``"learned"`` adds trained ones, ``max_len`` of them, shared by both
            sides; ``"rotary"`` turns queries and keys of the self-attentions (Su et al. 2021); ``"none"`` tells it
            nothing.
        d_k: width of a query and a key in one head; ``d_model / n_heads`` if None.
        d_v: width of a value in one head; as ``d_k`` if None.
        max_len: longest sequence, special tokens included, that the model accepts.
        pad_id: id of the padding token.
        bos_id: id of the start token ``<s>``.
        eos_id: id of the end token ``</s>``.

    Raises:
        ValueError: for a size, a probability or a name out of range; the message names the field.
    """

    vocab_size: int
    d_model: int = 512
    n_heads: int = 8
    n_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1
    attention_dropout: float = 0.0
    norm: Literal["pre", "post"] = "pre"
    tie_embeddings: bool = True
    bias: bool = True
    positions: Positions = "sinusoidal"
    d_k: int | None = None
    d_v: int | None = None
    max_len: int = 256
    pad_id: int = 0
    bos_id: int = 1
    eos_id: int = 2

    def __post_init__(self):
        for name in ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "max_len"):
            require_size(name, getattr(self, name))
        require_size("d_k", self.d_k, optional=True)
        require_size("d_v", self.d_v, optional=True)
        for name in ("dropout", "attention_dropout"):
            require_probability(name, getattr(self, name))
        for name in ("pad_id", "bos_id", "eos_id"):
            require_id(name, getattr(self, name), self.vocab_size)
        require_flag("tie_embeddings", self.tie_embeddings)
        require_flag("bias", self.bias)
        if len({self.pad_id, self.bos_id, self.eos_id}) < 3:
            raise ValueError(f"pad_id={self.pad_id}, bos_id={self.bos_id} and eos_id={self.eos_id} must differ")
        if self.norm not in ("pre", "post"):
            raise ValueError(f'norm must be "pre" or "post", got {shown(self.norm)}')
        if self.positions not in get_args(Positions):
            raise ValueError(f"positions must be one of {', '.join(get_args(Positions))}, got {shown(self.positions)}")
        if self.positions == "rotary" and (self.d_k or self.d_model // self.n_heads) % 2:
            raise ValueError("positions='rotary' turns pairs of coordinates: the width of a query, d_k, must be even")
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"d_model must be even for sines and cosines in pairs, got {self.d_model}")
        if self.positions == "sinusoidal" and self.max_len * self.d_model > LARGEST_TABLE:
            raise ValueError(
                f"max_len={self.max_len} sinusoidal positions of d_model={self.d_model} numbers are more than "
                f"{LARGEST_TABLE:,} numbers: choose a smaller max_len, or positions='rotary'"
            )

    @classmethod
    def tiny(cls, vocab_size: int = 128, **changes: Any) -> "TransformerConfig":
        """Width 64, 2 + 2 layers: trains in seconds on one core; for tests and for the little language."""
        return cls(**{"vocab_size": vocab_size, "d_model": 64, "n_heads": 4, "n_layers": 2, "d_ff": 256, **changes})

    @classmethod
    def small(cls, vocab_size: int = 8000, **changes: Any) -> "TransformerConfig":
        """Width 256, 3 + 3 layers, 7.6 million parameters with 8 000 subwords: the book's translator, on two cores.

        It sees about 115 000 pairs some twenty times, so it drops more than the paper's models.
        """
        sizes = {"d_model": 256, "n_heads": 4, "n_layers": 3, "d_ff": 1024, "dropout": 0.2}
        return cls(**{"vocab_size": vocab_size, **sizes, **changes})

    @classmethod
    def base(cls, vocab_size: int = 37000, **changes: Any) -> "TransformerConfig":
        """The paper's base model (Vaswani et al. 2017, Table 3).

        The paper gives 65 million parameters for it and 213 million for the big one. No one vocabulary gives both:
        each further subword costs base 512 parameters and big 1024. With 37 000, near the paper's "about 37000"
        (§5.1), base has 63 million and big 214 million.
        """
        return cls(**{"vocab_size": vocab_size, "norm": "post", **changes})

    @classmethod
    def big(cls, vocab_size: int = 37000, **changes: Any) -> "TransformerConfig":
        """The paper's big model (Vaswani et al. 2017, Table 3). For its size see :meth:`base`."""
        sizes = {"d_model": 1024, "n_heads": 16, "d_ff": 4096, "dropout": 0.3}
        return cls(**{"vocab_size": vocab_size, "norm": "post", **sizes, **changes})

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "TransformerConfig":
        """The inverse of :meth:`to_dict`.

        Raises:
            ValueError: if a field is unknown or ``vocab_size`` is missing.
        """
        require_names("Transformer", values)
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        if unknown or "vocab_size" not in values:
            wrong = f"unknown fields {', '.join(unknown)}" if unknown else "vocab_size is missing"
            raise ValueError(f"not a Transformer configuration: {wrong}")
        return cls(**values)
