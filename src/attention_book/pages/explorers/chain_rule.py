"""The explorer *the chain rule*: a translation, token by token, with what the trained model expected at each place."""

import math
from collections.abc import Iterable

import traitlets

from ...translation.token_probabilities import factors
from ...translation.translator import Translator
from .base import Explorer, front_end
from .words import fixed

PAIRS = (
    ("I like cats.", "Me gustan los gatos."),
    ("I like cats.", "Me gustan los perros."),
    ("I like cats.", "Yo gusto gatos."),
    ("We read the newspaper.", "Leemos el periódico."),
    ("We read the newspaper.", "Leímos el periódico."),
    ("My brother doesn't eat meat.", "Mi hermano no come carne."),
)


class ChainRule(Explorer):
    """The factors of P(translation | sentence), one at a time.

    Attributes:
        sentences: what the explorer knows, each as {"source", "target", "tokens", "probabilities", "likeliest"};
            make it with `of`.
        sentence: which of them is shown, counted from 0.
        place: the token looked at, counted from 0.
        bits: whether surprises are told in bits rather than nats.
    """

    title = "The chain rule"
    _esm = front_end("chain_rule.js")

    sentences = traitlets.List(traitlets.Dict(), minlen=1).tag(sync=True)
    sentence = traitlets.Int(0, min=0).tag(sync=True)
    place = traitlets.Int(0, min=0).tag(sync=True)
    bits = traitlets.Bool(False).tag(sync=True)

    @classmethod
    def of(cls, translator: Translator, pairs: Iterable[tuple[str, str]] = PAIRS, **traits) -> "ChainRule":
        """An explorer of these (source, target) pairs, with the translator's probabilities in six digits."""
        sentences = []
        for source, target in pairs:
            found = factors(translator, source, target)
            sentences.append({
                "source": source,
                "target": target,
                "tokens": [factor.token for factor in found],
                "probabilities": [float(f"{factor.probability:.6g}") for factor in found],
                "likeliest": [[[token, float(f"{p:.6g}")] for token, p in factor.likeliest] for factor in found],
            })  # fmt: skip
        return cls(sentences=sentences, **traits)

    @traitlets.validate("sentence", "place")
    def _fit(self, proposal):
        index = {name: getattr(self, name) for name in ("sentence", "place")} | {proposal.trait.name: proposal.value}
        if index["sentence"] >= len(self.sentences):
            raise traitlets.TraitError(f"there are {len(self.sentences)} sentences, counted from 0")
        tokens = self.sentences[index["sentence"]]["tokens"]
        if proposal.trait.name == "place" and index["place"] >= len(tokens):
            raise traitlets.TraitError(f"this translation has {len(tokens)} tokens, counted from 0")
        return proposal.value

    def in_words(self) -> str:
        """The whole product, and the place looked at; chain_rule.js says the same after each change."""
        known = self.sentences[self.sentence]
        place = min(self.place, len(known["tokens"]) - 1)
        logs = [math.log(p) for p in known["probabilities"]]
        unit, scale = ("bits", 1 / math.log(2)) if self.bits else ("nats", 1.0)
        before = " ".join(["<s>", *known["tokens"][:place]])
        others = ", ".join(f"{token} {fixed(p)}" for token, p in known["likeliest"][place])
        return (
            f"“{known['target']}” for “{known['source']}”: {len(logs)} factors, whose product is "
            f"{_product(math.exp(sum(logs)))}. The surprises sum to {fixed(-sum(logs) * scale)} {unit}, "
            f"{fixed(-sum(logs) * scale / len(logs))} per token, perplexity {fixed(math.exp(-sum(logs) / len(logs)))}. "
            f"Given {before}, the next token {known['tokens'][place]} has the probability "
            f"{_product(known['probabilities'][place])}, a surprise of {fixed(-logs[place] * scale)} {unit}. "
            f"Likeliest here: {others}."
        )


def _product(p: float) -> str:
    """A probability that may be very small, as chain_rule.js writes it."""
    return fixed(p) if p >= 0.001 else f"{p:.2e}".replace("e-0", "e-").replace("-", "−")
