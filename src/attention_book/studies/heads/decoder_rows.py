"""What the rows of a decoder are about: the tokens that go into them, or the tokens that they are asked for."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from ...analysis.attention_by_use import PairUses, Use, linked
from ...pages.figures.word_tables import Word

LINKS = (("Me", "I"), ("▁gustan", "▁like"), ("▁gatos", "▁cats"), (".", "."))
"""Tokens of *Me gustan los gatos.* and of *I like cats.* that translate each other."""
ASKED_HEADER = ("row", "reads", "has to predict")
LANGUAGES = {"encoder_self": ("en", "en"), "decoder_self": ("es", "es"), "cross": ("es", "en")}


def shown(token: str) -> str:
    """A piece as a word, without the mark of a space."""
    return token.replace("▁", " ").strip()


def asked_rows(pair: PairUses) -> list[tuple[str, str, str]]:
    """A row per row of the decoder, for :data:`ASKED_HEADER`."""
    rows = zip(pair.uses["cross"].queries, pair.asked, strict=True)
    return [(str(n), shown(token), shown(asked)) for n, (token, asked) in enumerate(rows)]


def words_of(pair: PairUses, name: str) -> tuple[list[Word], list[Word]]:
    """The words of rows and columns of one use; the decoder's rows also carry, behind an arrow, what is asked for.

    Args:
        pair: an English source and its Spanish target.
        name: of the use.
    """
    use, (asking, answering) = pair.uses[name], LANGUAGES[name]
    glosses = [""] * len(use.queries) if name == "encoder_self" else [f"→ {shown(token)}" for token in pair.asked]
    rows = [Word(shown(token), asking, gloss) for token, gloss in zip(use.queries, glosses, strict=True)]
    return rows, [Word(shown(token), answering) for token in use.keys]


def size_told(use: Use) -> str:
    """Which table of a use is shown, and how large it is."""
    return f"Layer {len(use.weights) - 1}, head 0; {len(use.queries)} × {len(use.keys)} weights."


def link_header(links: Sequence[tuple[str, str]] = LINKS) -> tuple[str, ...]:
    """The headings of :func:`link_rows`: which target token, and the source token that it is weighed on."""
    told = lambda target, source: "full stops" if target == "." else f"{shown(target)} at {shown(source)}"  # noqa: E731
    return ("layer", *(told(*link) for link in links), "mean")


def link_weights(
    pair: PairUses, links: Sequence[tuple[str, str]] = LINKS
) -> Float[np.ndarray, "n_layers links_and_mean 2"]:
    """Weights of linked tokens, mean over the heads: where the token is predicted, and in the next row, which reads it.

    The last of the middle axis is the mean over the links.
    """
    each = [
        [linked(pair, some, by).mean(axis=1) for by in ("asked", "input")] for some in [*([x] for x in links), links]
    ]
    return np.moveaxis(np.array(each), -1, 0)


def link_rows(pair: PairUses, links: Sequence[tuple[str, str]] = LINKS) -> list[tuple[str, ...]]:
    """By layer: the two weights of each link, and of their mean, with an arrow in between, for :func:`link_header`."""
    layers = enumerate(link_weights(pair, links))
    return [(str(n), *(f"{asked:.2f} → {entering:.2f}" for asked, entering in layer)) for n, layer in layers]


def numbers(pair: PairUses) -> dict[str, float | int]:
    """The shapes of the weights, an even share, and in the last layer's first head the weight from *los* on *cats*."""
    weights = pair.uses["cross"].weights
    n_layers, n_heads, t_dec, t_enc = weights.shape
    sizes = {"t_enc": t_enc, "t_dec": t_dec, "n_layers": n_layers, "n_heads": n_heads, "all_heads": n_layers * n_heads}
    los, cats = pair.uses["cross"].queries.index("▁los"), pair.uses["cross"].keys.index("▁cats")
    return sizes | {"even_cross": 1 / t_enc, "los_cats": weights[-1, 0, los, cats]}
