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


def by_formula(config: TransformerConfig) -> dict[str, int]:
    """The parameters of a model with tied embeddings, from its sizes alone.

    Returns:
        ``embedding``; one ``encoder layer`` and one ``decoder layer``; ``last norms``, those at the ends of the stacks,
        which only pre-norm has; and ``all``, the whole model.

    Raises:
        ValueError: if the embeddings are not tied, the positions are learned, the attentions have no biases, or the
            heads have widths of their own: the formula is for none of these.
    """
    if not config.tie_embeddings or not config.bias or config.positions == "learned" or config.d_k or config.d_v:
        raise ValueError("the formula is for tied embeddings, biases, no learned positions, and heads of d_model / h")
    d, d_ff = config.d_model, config.d_ff
    attention, feed_forward, norm = 4 * (d * d + d), 2 * d * d_ff + d_ff + d, 2 * d
    counts = {
        "embedding": config.vocab_size * d,
        "encoder layer": attention + feed_forward + 2 * norm,
        "decoder layer": 2 * attention + feed_forward + 3 * norm,
        "last norms": 2 * norm if config.norm == "pre" else 0,
    }
    layers = config.n_layers * (counts["encoder layer"] + counts["decoder layer"])
    return counts | {"all": counts["embedding"] + layers + counts["last norms"]}


def by_machine(config: TransformerConfig) -> dict[str, int]:
    """The same counts as :func:`by_formula`, but of the model itself: every number in every parameter."""
    with torch.device("meta"):  # shapes only: nothing is drawn or stored
        model = Transformer(config)
    parts = {
        "embedding": model.src_embedding,
        "encoder layer": model.encoder.layers[0],
        "decoder layer": model.decoder.layers[0],
        "last norms": torch.nn.ModuleList([model.encoder.norm, model.decoder.norm]),
        "all": model,
    }
    return {name: parameters(part) for name, part in parts.items()}


PAPER = {"base": 65e6, "big": 213e6}
"""Parameters of the paper's models (Vaswani et al. 2017, Table 3), given there in whole millions."""
SIZES = ("small", "base", "big")
COUNT_HEADER = ("parameters", "this book's translator", "base", "big")


def count_rows() -> list[tuple[str, ...]]:
    """The counts of the translator's size and of the paper's two, for :data:`COUNT_HEADER`.

    Raises:
        AssertionError: if formula and machine differ anywhere.
    """
    configs = [getattr(TransformerConfig, size)() for size in SIZES]
    counts = [by_formula(config) for config in configs]
    assert counts == [by_machine(config) for config in configs], "the formula and the machine disagree"
    rows = [(name, *(grouped(count[name]) for count in counts)) for name in counts[0]]
    paper = ("the paper's Table 3", "", *(f"{PAPER[size] / 1e6:.0f} million" for size in SIZES[1:]))
    return [*rows, paper]


def grouped(number: int) -> str:
    """A whole number with its digits in groups of three."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def fitting_vocabularies(size: str) -> tuple[int, int]:
    """The smallest and the largest vocabulary with which a model of the paper has the paper's number of parameters.

    Args:
        size: ``"base"`` or ``"big"``.

    Returns:
        Both ends, such that all but the embedding, and the embedding, round to the paper's millions together.
    """
    config = getattr(TransformerConfig, size)()
    counts = by_formula(config)
    rest = counts["all"] - counts["embedding"]
    low, high = (PAPER[size] + shift - rest for shift in (-5e5, 5e5))
    return int(-(-low // config.d_model)), int(-(-high // config.d_model)) - 1


def fit_numbers() -> dict[str, int | float]:
    """What the page's text is given: millions by machine, and the vocabularies that would fit."""
    counts = paper_counts()
    numbers = {f"millions_{size}": counts[size] / 1e6 for size in PAPER}
    for size in PAPER:
        numbers[f"least_{size}"], numbers[f"most_{size}"] = fitting_vocabularies(size)
    return numbers
