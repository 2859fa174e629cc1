"""What *cross-attention-links* measured: the links of every head, which head to choose, and what its removal costs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float
from scipy import stats

from ... import experiments
from ...analysis.attribution.agreement import spearman
from ...analysis.seed_statistics import Measured, Seeds, difference, number, over_seeds
from ...little_language.language import LittlePair, pair_for
from ...little_language.word_kinds import KINDS
from ...pages.diagrams.reading.weights_beside_links import Beside
from .head_links import NEXT, READ, HeadLinks, Heads, place

ERROR_HEADER = ("aligner", "AER")
ALIGNER_HEADER = ("aligner", "precision", "recall", "AER", "AER, read one step late")
HEAD_HEADER = ("head", "AER", "cost")
VOTE_HEADER = ("looks most at", "heads", "of the first layer", "of the last layer")
FOUND_HEADER = ("kind (words)", "linked rightly by the chosen head, %")
KIND_HEADER = ("kind (words)", "chosen head", "recurrent", "Model 1")
MISSED_HEADER = ("kind", "ρ of links and rise")
PICKED_HEADER = ("sentences looked at", "AER on them", "AER on all others")
CLITIC_HEADER = ("head", "clitics linked rightly", "rise without the head, nats per clitic")
HEAP_HEADER = ("chosen head of", "clitics linked rightly", "rise without the head, nats per clitic")
LOOKS_AT = ("Maria", "does", "not", "like")
LOOKS_HEADER = ("chosen head of", *LOOKS_AT, "elsewhere")
RANK_HEADER = ("heads ranked within", "words", "ρ of links and rise")
KindHeads = Float[np.ndarray, "seeds layers heads kinds"]
ALIGNERS = {
    "ibm1": "IBM Model 1",
    "last layer": "heads of the last layer, averaged",
    "mean": "all heads, averaged",
    "chosen": "the head chosen on validation",
    "worst": "the worst head",
    "recurrent": "recurrent model",
    "diagonal": "diagonal, without looking",
    "one_link": "best with one link per word",
}


@dataclass(frozen=True)
class CrossAttentionLinks(HeadLinks):
    """The result, as its page reads it. A head is named by its layer and its number, as ``(1, 0)``."""

    # Heads beside other aligners ------------------------------------------------------------------
    def aligner(self, name: str, what: str, reading: str = NEXT) -> Seeds:
        """A number of an aligner, one per seed: those of :meth:`aligner_rows`, by their short names."""
        if name in ("chosen", "worst"):
            return self.at(self.heads(what, reading), self._places(name))
        if name == "last layer":
            return np.array([seed["layer_means"][reading][-1][what] for seed in self.seeds])
        if name in ("mean", "recurrent"):
            return np.array([seed[name][reading][what] for seed in self.seeds])
        return np.array([seed[name][what] for seed in self.seeds])

    def aligner_rows(self) -> list[tuple[str, ...]]:
        """A row per aligner, for :data:`ALIGNER_HEADER`; ± is the standard deviation over seeds."""
        rows = []
        for name, label in ALIGNERS.items():
            rates = [f"{over_seeds(self.aligner(name, what)):.2f}" for what in ("precision", "recall", "test")]
            late = ""
            if name not in ("ibm1", "diagonal", "one_link"):
                late = f"{over_seeds(self.aligner(name, 'test', READ)):.2f}"
            rows.append((label, *rates, late))
        return rows

    def error_rows(self, shown: Sequence[str]) -> list[tuple[str, ...]]:
        """The names and mean error rates of these rows of :meth:`aligner_rows`, in this order."""
        return [(ALIGNERS[name], number(self.aligner(name, "test").mean(), ".2f")) for name in shown]

    def gap(self, first: str, second: str) -> Measured:
        """The test error rate of one aligner less that of another, with its interval."""
        return difference(self.aligner(first, "test"), self.aligner(second, "test"))

    def layer_gap(self) -> Measured:
        """The mean error rate of the first layer's heads less that of the last layer's, with its interval."""
        means = self.heads("test").mean(axis=2)
        return difference(means[:, 0], means[:, -1])

    def aligner_numbers(self) -> dict[str, float | int | str]:
        """What the text says of the aligners, by name."""
        tests, late = self.heads("test"), self.heads("test", READ)
        worse = tests > self.aligner("diagonal", "test")[:, None, None]
        return {
            "n_seeds": self.n_seeds,
            "n_heads": tests[0].size,
            "trained_on": self.setting["training"]["tokens"],
            "n_validation": self.setting["validation"],
            "n_test": self.setting["examined"] - self.setting["validation"],
            "first_most": tests[:, 0].max(),
            "layer_gap": f"{self.layer_gap():.2f}",
            "gap_ibm": f"{self.gap('chosen', 'ibm1'):+.2f}",
            "worse_heads": int(worse.sum()),
            "late_least": late.min(),
            "n_all": tests.size,
            "says_right": 100 * self.right_share("chosen"),
        }

    def right_share(self, name: str) -> float:
        """The share of words that the ``chosen`` or ``worst`` head links with a word that they translate."""
        places = self._places(name)
        counts = np.array([seed["kinds"] for seed in self.seeds], dtype=float)
        right = self.at(self.right, places)
        return float(((right * counts).sum(axis=1) / counts.sum(axis=1)).mean())

    def _places(self, name: str) -> list[tuple[int, int]]:
        return self.chosen if name == "chosen" else [place(rates.argmax(), rates) for rates in self.heads("test")]

    def rate_grid(self) -> tuple[Float[np.ndarray, "rows heads"], list[str]]:
        """The error rates of all heads, a row per seed and layer, the best head of a row first; and the rows' names."""
        tests = np.sort(self.heads("test"), axis=2)
        names = [f"seed {seed}, layer {n}" for seed in self.result["seeds"] for n in range(tests.shape[1])]
        return tests.reshape(-1, tests.shape[2]), names

    # Choosing a head ------------------------------------------------------------------------------
    def picked_rows(self) -> list[tuple[str, str, str]]:
        """What a head chosen on few sentences promises there and keeps elsewhere, for :data:`PICKED_HEADER`."""
        rows = []
        for size in self.setting["picked_from"]:
            both = np.array([seed["picked"][str(size)] for seed in self.seeds])
            rows.append((str(size), *(f"{over_seeds(column):.2f}" for column in both.T)))
        return rows

    def picked_numbers(self) -> dict[str, float]:
        """What the text says of choosing, by name."""
        few = np.array([seed["picked"][str(self.setting["picked_from"][0])] for seed in self.seeds]).mean(axis=0)
        return {"one_promised": few[0], "one_kept": few[1]} | {
            f"little_{name}": self.aligner(name, "test").mean() for name in ("mean", "chosen")
        }

    # What removal costs ---------------------------------------------------------------------------
    def rank_correlations(self, first: Heads, second: Heads) -> Seeds:
        """Spearman's correlation over the heads of each seed."""
        pairs = zip(first, second, strict=True)
        return np.array([stats.spearmanr(a.ravel(), b.ravel()).statistic for a, b in pairs])

    def within_layers(self, first: Heads, second: Heads) -> Seeds:
        """The same within each layer, averaged over the layers of each seed."""
        layers = [self.rank_correlations(first[:, [n]], second[:, [n]]) for n in range(first.shape[1])]
        return np.mean(layers, axis=0)

    def head_rows(self) -> list[tuple[str, ...]]:
        """A row per head of the first seed, for :data:`HEAD_HEADER`."""
        fields, specs = [self.heads("test"), self.cost], (".2f", ".3f")
        _, layers, heads = self.cost.shape
        return [
            (f"{n}.{h}", *(number(field[0, n, h], spec) for field, spec in zip(fields, specs, strict=True)))
            for n in range(layers)
            for h in range(heads)
        ]

    def rank_rows(self) -> list[tuple[str, str, str]]:
        """The three correlations of good links and rises that the text gives, for :data:`RANK_HEADER`."""
        told, within, words = self.cost_numbers() | self.kind_numbers(), "model layer layer", ("all", "all", "by kind")
        ranks = [str(told[name]) for name in ("ranks", "ranks_within", "ranks_by_kind")]
        return list(zip([f"a {one}" for one in within.split()], words, ranks, strict=True))

    def cost_numbers(self) -> dict[str, float | int | str]:
        """What the text says of removals, by name."""
        good = 1 - self.heads("test")
        good_first = zip(self.heads("test"), self.cost, strict=True)
        places = [1 + int((cost > cost.flat[rates.argmin()]).sum()) for rates, cost in good_first]
        silenced = np.array([[layer[-1] for layer in seed["silenced"]] for seed in self.seeds]).mean(axis=0)
        return {
            "ranks": f"{over_seeds(self.rank_correlations(good, self.cost), 'interval'):+.2f}",
            "first_ranks": self.rank_correlations(good, self.cost)[0],
            "ranks_within": f"{over_seeds(self.within_layers(good, self.cost), 'interval'):+.2f}",
            "sharp_ranks": f"{over_seeds(self.rank_correlations(good, -self.profile('entropy')), 'interval'):+.2f}",
            "places_down": sum(one > 3 for one in places),
            "places": ", ".join(map(str, places)),
            "first_best": "{}.{}".format(*place(self.heads("test")[0].argmin(), self.cost[0])),
            "first_dearest": "{}.{}".format(*self.dearest[0]),
            "silenced_first": silenced[0],
            "silenced_last": silenced[-1],
        }

    # Kinds of words -------------------------------------------------------------------------------
    def by_kind(self) -> dict[str, Float[np.ndarray, " kinds"]]:
        """For each kind of word: shares of right links by aligner, and by how much its loss rises."""
        each = {
            "words": [seed["kinds"] for seed in self.seeds],
            "chosen": self.at(self.right, self.chosen),
            "recurrent": [seed["recurrent"][NEXT]["right"] for seed in self.seeds],
            "ibm1": [seed["ibm1"]["right"] for seed in self.seeds],
            "chosen removed": self.at(self.rises, self.chosen),
        }
        return {name: np.mean(one, axis=0) for name, one in each.items()}

    def kind_rows(self, kinds: Sequence[str] = KINDS) -> list[tuple[str, ...]]:
        """A row for each of these kinds of words, for :data:`KIND_HEADER`."""
        found = self.by_kind()
        shares = (100 * found[name] for name in ("chosen", "recurrent", "ibm1"))
        return [
            (f"{kind} ({number(words, '.0f')})", *(number(one, ".0f") for one in right))
            for kind, words, *right in zip(KINDS, found["words"], *shares, strict=True)
            if kind in kinds
        ]

    @cached_property
    def right(self) -> KindHeads:
        """The share of right links of every head, by kind of word."""
        return np.array([[[head["right"] for head in layer] for layer in seed["heads"][NEXT]] for seed in self.seeds])

    @cached_property
    def rises(self) -> KindHeads:
        """By how much the loss of each kind of word rises without a head."""
        return np.array([seed["removed"] for seed in self.seeds], dtype=float)[..., :-1]

    def ranks_by_kind(self) -> Float[np.ndarray, "seeds kinds"]:
        """How a kind's right links go with its rise over the heads of a layer: the mean of the layers that rank."""
        right, rises = (np.moveaxis(found, 3, 1) for found in (self.right, self.rises))
        heads = right.shape[-1]
        each = spearman(right.reshape(-1, heads), rises.reshape(-1, heads)).reshape(right.shape[:-1])
        return np.nanmean(each, axis=2)

    def missed_rows(self) -> list[tuple[str, str]]:
        """A row per kind of word for :data:`MISSED_HEADER`, the closest to its links first."""
        ranks = self.ranks_by_kind()
        order = (-ranks.mean(axis=0)).argsort()
        means = [f"{over_seeds(column, 'interval'):+.2f}" for column in ranks.T]
        return [(KINDS[n], means[n]) for n in order]

    def clitics(self) -> tuple[Float[np.ndarray, "seeds heads"], Float[np.ndarray, "seeds heads"]]:
        """Of each head of the last layer: the share of clitics that it links rightly, and their rise without it."""
        n = KINDS.index("clitic")
        return self.right[:, -1, :, n], self.rises[:, -1, :, n]

    def clitic_rows(self) -> list[tuple[str, str, str]]:
        """A row per head of the first seed's last layer, for :data:`CLITIC_HEADER`."""
        (right, *_), (rises, *_) = self.clitics()
        last, both = self.cost.shape[1] - 1, enumerate(zip(right, rises, strict=True))
        return [(f"{last}.{n}", f"{number(100 * a, '.0f')} %", number(b, "+.3f")) for n, (a, b) in both]

    def heap_rows(self) -> list[tuple[str, str, str]]:
        """A row per model, and one for their mean, for :data:`HEAP_HEADER`."""
        both = np.array([self.by_seed("clitic"), self.by_seed("clitic", removed=True)])
        named = zip(
            [*(f"model {n}" for n in range(self.n_seeds)), "their mean"], [*both.T, both.mean(axis=1)], strict=True
        )
        return [(name, f"{number(100 * a, '.0f')} %", number(b, "+.2f")) for name, (a, b) in named]

    def looks_rows(self, word: str) -> list[tuple[str, ...]]:
        """Where each chosen head looks before a word of the example, in per cent, for :data:`LOOKS_HEADER`."""
        row = self.example.target_words.index(word)
        columns, rows = [self.example.source_words.index(seen) for seen in LOOKS_AT], []
        for n, (seed, (layer, head)) in enumerate(zip(self.seeds, self.chosen, strict=True)):
            seen = 100 * np.array(seed["example"][layer][head][row])[columns]
            rows.append((f"model {n}", *(number(one, ".0f") for one in [*seen, 100 - seen.sum()])))
        return rows

    def kind_numbers(self) -> dict[str, float | str]:
        """What the text says of kinds, by name."""
        found = self.by_kind()

        def of(name: str, kind: str) -> float:
            return float(found[name][KINDS.index(kind)])

        breaks = found["chosen removed"].argmax()
        shares, clitics = self.by_seed("clitic"), self.by_seed("clitic", removed=True)
        linked = shares > 0.5
        return {
            "noun_misses": of("chosen removed", "noun"),
            "noun_least": 100 * float(self.right[:, -1, :, KINDS.index("noun")].min()),
            "noun_right": 100 * of("chosen", "noun"),
            "clitic_right": 100 * of("chosen", "clitic"),
            "breaks_first": KINDS[breaks],
            "breaks_first_by": float(found["chosen removed"][breaks]),
            "clitic_linked": int(linked.sum()),
            "clitic_linked_rise": clitics[linked].mean() if linked.any() else np.nan,
            "clitic_linked_sum": float(clitics[linked].sum()),
            "clitic_sum": float(clitics.sum()),
            "clitic_other": int((~linked).sum()),
            "clitic_first": float(spearman(*(each[:1] for each in self.clitics()))[0]),
            "clitic_nearest": 100 * float(np.abs(shares - shares.mean()).min()),
            "clitic_by_lot": self.cost.shape[2] ** self.n_seeds,
            "ranks_by_kind": f"{over_seeds(self.ranks_by_kind().mean(axis=1), 'interval'):+.2f}",
        }

    def by_seed(self, kind: str, removed: bool = False) -> Seeds:
        """Of each seed's chosen head and one kind of word: the share of right links, or the rise without the head."""
        return self.at(self.rises if removed else self.right, self.chosen)[:, KINDS.index(kind)]

    # Where the seeds agree, and where not ---------------------------------------------------------
    def check(self) -> None:
        """Refuse a record whose seeds agree or disagree otherwise than the page tells in words.

        Raises:
            AssertionError: with the sentence that no longer holds.
        """
        medians = np.median(self.cost, axis=2)
        assert (medians[:, -1] > medians[:, 0]).all(), "in every model the last layer's median cost is higher"
        good, sharp = 1 - self.heads("test"), -self.profile("entropy")
        whole, within = self.rank_correlations(good, sharp), self.within_layers(good, sharp)
        interval = over_seeds(within, "interval")
        assert within.mean() < whole.mean(), "within a layer, sharpness goes less with good links than over all heads"
        assert interval.settled and interval.value > 0, "within a layer, the interval for sharpness stays above 0"
        ranks, ranks_within = (
            over_seeds(found, "interval")
            for found in (self.rank_correlations(good, self.cost), self.within_layers(good, self.cost))
        )
        assert ranks.settled and ranks.value > 0, "over all heads, good aligners tend to cost more"
        assert not ranks_within.settled, "within a layer, the interval for costs holds 0"
        liking = self.by_seed("verb of liking")
        assert liking.max() > 0.9 and liking.min() == 0, "verbs of liking: one model nearly always, another never"
        more = self.by_seed("verb", removed=True) > self.by_seed("clitic", removed=True)
        assert more.mean() > 0.5 and not more.all(), "in most models, but not in all, the verbs' loss rises more"
        assert self.by_kind()["chosen removed"].argmax() == KINDS.index("clitic"), "on average the clitics' rises most"
        self._check_kinds()

    def _check_kinds(self) -> None:
        clitics = self.by_seed("clitic")
        assert ((clitics > 0.5) | (clitics == 0)).all(), "the chosen head links most clitics rightly, or none of them"
        right, rises = self.clitics()
        assert (right.argmax(axis=1) == rises.argmax(axis=1)).all(), "clitics miss most the last layer's best head"
        verbs = self.right[:, -1, :, KINDS.index("verb")].argmax(axis=1)
        assert (right.argmax(axis=1) != verbs).all(), "one head links the verbs best, another the clitics"
        ranks = self.ranks_by_kind()
        whole = over_seeds(ranks.mean(axis=1), "interval")
        assert whole.settled and whole.value > 0, "kind by kind, right links go with the rise"
        each = zip(KINDS, (over_seeds(column, "interval") for column in ranks.T), strict=True)
        held = {kind for kind, found in each if found.settled and found.value > 0}
        assert held == {"adjective", "noun", "verb", "other"}, "above 0: adjectives, nouns, verbs and the others"
        right, rises = (each[:, 0, :, KINDS.index("clitic")] for each in (self.right, self.rises))
        none = right[range(self.n_seeds), rises.argmax(axis=1)] == 0
        assert none[0] and rises[0].max() > self.clitics()[1][0].max(), (
            "the first model's clitics miss most such a head"
        )
        assert none.sum() == 2, "in the first layer of two models, clitics miss most a head that links none"

    # One sentence ---------------------------------------------------------------------------------
    @property
    def example(self) -> LittlePair:
        """The pair whose weights are on record."""
        source, target = self.setting["example"]
        return pair_for(source, self.setting["target"], target)

    def beside(self) -> Beside:
        """The weights of the first seed's chosen head on the example, with the true links."""
        layer, head = self.chosen[0]
        pair, weights = self.example, np.array(self.seeds[0]["example"][layer][head])
        return Beside([*pair.source_words, "</s>"], pair.target_words, weights, pair.alignment)

    def hand_numbers(self) -> dict[str, float | int | str]:
        """The links of the example's largest weights beside the true ones, by name."""
        shown = self.beside()
        chosen = shown.weights.argmax(axis=1).tolist()
        links = {(i, j) for j, i in enumerate(chosen) if i < len(shown.source) - 1}
        right, wrong = links & set(shown.links), sorted(links - set(shown.links), key=lambda link: link[1])
        told = [f"{shown.target[j]} with {shown.source[i]}" for i, j in wrong]
        return {
            "hand_head": f"head {self.chosen[0][1]} of layer {self.chosen[0][0]}",
            "hand_links": len(links),
            "hand_right": len(right),
            "hand_gold": len(shown.links),
            "hand_wrong": "; ".join(told) or "none",
            "hand_aer": 1 - 2 * len(right) / (len(links) + len(shown.links)),
        }

    def votes(self, word: str, layer: int | None = None) -> Counter[str]:
        """How many heads of all models have their largest weight at each column, before a word of the example.

        Args:
            word: one of the example's target words.
            layer: count only the heads of this layer, or of all layers if it is None.
        """
        columns, row = [*self.example.source_words, "</s>"], self.example.target_words.index(word)
        heads = np.array([seed["example"] for seed in self.seeds])[:, slice(None) if layer is None else [layer], :, row]
        return Counter(columns[place] for place in heads.argmax(axis=-1).ravel().tolist())

    def vote_rows(self, word: str) -> list[tuple[str, ...]]:
        """A row per column with a vote of :meth:`votes` for :data:`VOTE_HEADER`, the most votes first."""
        first, last = (self.votes(word, layer) for layer in (0, -1))
        return [(name, str(n), str(first[name]), str(last[name])) for name, n in self.votes(word).most_common()]

    def vote_numbers(self) -> dict[str, int]:
        """What the text says of the votes before *gusta* and *le*, by name."""
        found = {"n_each": self.votes("gusta", 0).total()}
        for key, layer in (("", None), ("first_", 0), ("last_", -1)):
            gusta = self.votes("gusta", layer)
            found |= {f"{key}translated": gusta["like"] + gusta["does"], f"{key}liked": gusta["car"] + gusta["red"]}
        le = self.votes("le")
        return found | {"le_verb": le["like"] + le["does"]}


def read() -> CrossAttentionLinks:
    """The result on record, if its seeds agree and disagree as the page says."""
    found = CrossAttentionLinks(experiments.read("cross-attention-links"))
    found.check()
    return found
