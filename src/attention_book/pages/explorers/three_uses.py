"""The explorer *three uses of attention*: choose a pair, a use, a layer and a head; point at a word and see its row."""

from collections.abc import Iterable

import numpy as np
import traitlets

from ...analysis.attention_by_use import USES, PairUses, uses_of
from ...translation.translator import Translator
from .base import Explorer, front_end
from .words import fixed, listed

PAIRS = (
    ("I like cats.", "Me gustan los gatos."),
    ("He went to the bank of the river.", "Él fue al banco del río."),
    ("The chicken is walking on a road, it is hungry.", "El pollo está caminando por un camino, tiene hambre."),
)
DIGITS = 4  # of a weight: a page carries some thousands of them


def as_json(pair: PairUses) -> dict:
    """A pair as the front end reads it: tokens and rounded weights. Which cells are masked follows from the use."""
    return {
        "source": pair.source,
        "target": pair.target,
        "asked": pair.asked,
        "uses": {
            name: {
                "queries": use.queries,
                "keys": use.keys,
                "weights": [
                    [[[round(float(x), DIGITS) for x in row] for row in head] for head in layer]
                    for layer in use.weights
                ],
            }
            for name, use in pair.uses.items()
        },
    }


class ThreeUses(Explorer):
    """Every attention weight of a translator on a few sentence pairs, one query at a time.

    In a notebook ``explorer.add("Where is the bank?")`` translates a sentence of yours, reads it, and shows it.

    Args:
        translator: whose weights; the one that comes with the book if left out.
        sentences: pairs of a source and a target.

    Attributes:
        pairs: what :func:`as_json` gives for each pair.
        pair: which of them is shown, counted from 0.
        use: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
        layer, head: counted from 0.
        query: the row looked at, counted from 0; beyond the last row, the last.
    """

    title = "Three uses of attention"
    _esm = front_end("three_uses.js")

    pairs = traitlets.List(traitlets.Dict()).tag(sync=True)
    pair = traitlets.Int(0).tag(sync=True)
    use = traitlets.Enum(list(USES), "cross").tag(sync=True)
    layer = traitlets.Int(2).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(1, min=0).tag(sync=True)

    def __init__(
        self, translator: Translator | None = None, sentences: Iterable[tuple[str, str]] = PAIRS, **traits: int | str
    ):
        self._translator = translator or Translator.from_pretrained()
        pairs = [as_json(uses_of(self._translator, *both)) for both in sentences]
        super().__init__(**{"pairs": pairs, **traits})

    @traitlets.validate("pair", "layer", "head")
    def _fit(self, proposal):
        name, number = proposal.trait.name, proposal.value
        config = self._translator.model.config
        last = {"pair": len(self.pairs) - 1, "layer": config.n_layers - 1, "head": config.n_heads - 1}
        if not 0 <= number <= last[name]:
            raise traitlets.TraitError(f"there is no {name} {number}: they are counted from 0 to {last[name]}")
        return number

    def add(self, source: str, target: str | None = None) -> None:
        """Read a pair of yours and show it.

        Args:
            source: one English sentence.
            target: what the decoder is fed; the translator's own translation if left out.

        Raises:
            ValueError: if a sentence is blank or too long.
        """
        self.pairs = [*self.pairs, as_json(uses_of(self._translator, source, target))]
        self.pair = len(self.pairs) - 1

    @property
    def weights(self) -> np.ndarray:
        """The table that is shown, queries × keys, in four digits."""
        return np.array(self.pairs[self.pair]["uses"][self.use]["weights"][self.layer][self.head])

    def in_words(self) -> str:
        """What is shown, and the whole row of the query; three_uses.js says the same after each change."""
        pair = self.pairs[self.pair]
        use, table = pair["uses"][self.use], self.weights
        row = min(self.query, len(table) - 1)
        seen = row + 1 if self.use == "decoder_self" else len(use["keys"])
        asked = f", asked for “{pair['asked'][row]}”," if self.use != "encoder_self" else ""
        shares = [f"{fixed(x)} on “{key}”" for x, key in zip(table[row][:seen], use["keys"], strict=False)]
        hidden = [f"“{key}”" for key in use["keys"][seen:]]
        later = f" Hidden, because later: {listed(hidden)}." if hidden else ""
        return (
            f"“{pair['source']}” and “{pair['target']}” {USES[self.use].capitalize()}: layer {self.layer}, "
            f"head {self.head}, {len(table)} × {len(use['keys'])} weights. The query “{use['queries'][row]}”{asked} "
            f"puts {listed(shares)}.{later}"
        )
