"""What the rows of a decoder are about: the tokens that go into them, or the tokens that they are asked for."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from ...analysis.attention_by_use import PairUses, Use, linked, uses_of
from ...pages.figures.word_tables import Word
from ...translation.translator import Translator

LINKS = (("Me", "I"), ("▁gustan", "▁like"), ("▁gatos", "▁cats"), (".", "."))
"""Tokens of *Me gustan los gatos.* and of *I like cats.* that translate each other."""
WOMEN = "The women eat bread.", "Las mujeres comen pan."
WOMEN_LINKS = (("Las", "The"), ("▁mujeres", "▁women"), ("▁comen", "▁eat"), ("▁pan", "▁bread"))
POINTER_HEADER = ("has to predict", "looks at", "weight")
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


def pointer_rows(translator: Translator) -> list[tuple[str, str, str]]:
    """Where the rows of `WOMEN` look that have to predict its words, for `POINTER_HEADER`.

    Args:
        translator: from English to Spanish.

    Returns:
        By row: the word, the source token with the most weight, and this weight, in the last layer as a mean over its
        heads.
    """
    pair = uses_of(translator, *WOMEN)
    cross = pair.uses["cross"]
    weights = cross.weights[-1].mean(axis=0)
    rows = [pair.asked.index(target) for target, _ in WOMEN_LINKS]
    return [
        (shown(pair.asked[row]), shown(cross.keys[weights[row].argmax()]), f"{weights[row].max():.2f}") for row in rows
    ]


def numbers(pair: PairUses) -> dict[str, float | int]:
    """The shapes of the weights, an even share, and how the row of *los* looks at *cats*.

    Returns:
        With ``los_cats``, the weight from *los* on *cats* in the last layer's first head, and ``los_heads``, in how
        many of all heads *cats* has the most weight in this row.
    """
    weights = pair.uses["cross"].weights
    n_layers, n_heads, t_dec, t_enc = weights.shape
    sizes = {"t_enc": t_enc, "t_dec": t_dec, "n_layers": n_layers, "n_heads": n_heads, "all_heads": n_layers * n_heads}
    los, cats = pair.uses["cross"].queries.index("▁los"), pair.uses["cross"].keys.index("▁cats")
    most = int((weights[:, :, los].argmax(axis=-1) == cats).sum())
    return sizes | {"even_cross": 1 / t_enc, "los_cats": weights[-1, 0, los, cats], "los_heads": most}
