"""Checks for *Attention as alignment* and *Who told the verb?*.

Of the first: when a guessed link pays, the least error of one link per word, links from weights. Of the second: what
weights show, what each exchange lowers, witnesses who cover for each other.
"""

from operator import eq

import numpy as np
import torch
from torch import Tensor

from ...attention.probability import softmax
from ...translation.evaluation import alignment_error_rate
from ..answers import as_tensor, statements_check
from ..drawn import Normal
from ..known_mistakes import diagnose, expect_predictions, near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number

_SHOWN = {
    "a": (True, "the context is nine tenths of that state, and one tenth of all others"),
    "b": (False, "weights say what was mixed in this sentence, not what would be written from another one"),
    "c": (False, "the state of *cats* was made by two readings, one of which has passed *like*"),
    "d": (True, "a context is the sum of weight times value, and this value has the weight 0.9"),
    "e": (False, "the state that is looked at may say that a noun comes next, or more; its weight does not tell"),
}


check_shown = statements_check(
    _SHOWN,
    "it follows",
    "it does not",
    "Is it said rightly of which conclusions, a to e, that they follow from one large weight?",
    "Weights say which states were mixed, and how; not what the states hold, nor what that causes.",
)


_GUESSES: dict[str, tuple[float, dict[float, str]]] = {
    "a": (
        1 / 4,
        {
            2 / 5: "that is the recall that is lost; the error rate counts all 6 + 10 links, and the right ones twice",
            3 / 4: "that is 1 less the error rate",
            5 / 8: "a right link counts twice, among the proposed links and among the true ones",
            0.0: "four of the true links are missing",
        },
    ),
    "b": (
        3 / 10,
        {
            7 / 10: "that is 1 less the error rate",
            1 / 8: "ten links are proposed now, and 6 + 4 · ¼ of them are right",
            13 / 20: "a right link counts twice, among the proposed links and among the true ones",
        },
    ),
    "c": (
        1 / 5,
        {
            4 / 5: "that is 1 less the error rate",
            0.0: "half of the guesses are wrong",
            1 / 9: "ten links are proposed, the two wrong guesses among them",
        },
    ),
    "d": (
        3 / 8,
        {
            1 / 2: "with p = ½ the guesses lower the error rate already, from 0.25 to 0.2",
            1 / 4: "with p = ¼ they still raise it, from 0.25 to 0.3",
            3 / 4: "half of that: a right guess adds 2 to the right links, and each guess 1 to all that are counted",
        },
    ),
}


@checking
def check_guesses(predictions: object) -> Report:
    """Are these the error rates without guesses (a) and with them (b, c), and p from which on they pay (d)?"""
    expect_predictions(predictions, _GUESSES, tolerance=0.006)
    return Report(True, "A guess pays if its chance to be right is above half of 1 − AER: here above half of ¾.")


def _corpora() -> list[list[set[tuple[int, int]]]]:
    """True links of made-up sentences: some words with several, some with none on either side; then random ones."""
    corpora = [
        [{(0, 0), (1, 1)}],
        [{(0, 0), (0, 1)}],  # one source word for two: both links can be had
        [{(0, 0), (1, 2)}],  # target word 1 stands for nothing, and is left alone
        [{(0, 0), (1, 0), (0, 1)}, {(0, 1), (1, 1), (2, 1), (3, 0)}],
        [{(0, 0)}, {(0, 2), (1, 2), (2, 2), (3, 2), (3, 0), (3, 1)}],
        [{(4, 3), (5, 3), (2, 0)}, {(1, 6), (2, 6), (7, 6)}, {(0, 1)}],
    ]
    random = np.random.default_rng(7)
    for sentences in (2, 5):
        sizes = random.integers(2, 9, (sentences, 2))
        drawn = [random.integers(0, size, (random.integers(2, 12), 2)) for size in sizes]
        corpora.append([{(int(i), int(j)) for i, j in links} for links in drawn])
    return corpora


@checking
def check_least_error(candidate: object) -> Report:
    """Does ``candidate(gold)`` give the least alignment error rate with at most one link for each target word?"""
    for gold in _corpora():
        best = [frozenset({(min(i for i, k in links if k == j), j) for _, j in links}) for links in gold]
        right = alignment_error_rate(best, gold).error_rate
        got = expect_number(attempt(candidate, gold), "the error rate")
        if abs(got - right) < 1e-9:
            continue
        hint = recognise(got, _poor_links(gold, best), near(abs_tol=1e-9))
        raise NotYet(f"With the links {gold} it is {right:.4f}, not {got:.4f}" + (f": {hint}." if hint else "."))
    return Report(True, "With one link per target word, no choice of links has a lower error rate.")


def _poor_links(gold: list[set], best: list[frozenset]) -> list[tuple[float, str]]:
    """What the error rate becomes if something else is counted, with what that is."""
    chosen, sure = sum(map(len, best)), sum(map(len, gold))
    words = sum(1 + max(j for _, j in links) for links in gold)
    sources = sum(len({i for i, _ in links}) for links in gold)
    either = sum(min(len({i for i, _ in links}), len({j for _, j in links})) for links in gold)
    forced = "a target word without a true link is better left without one: a link that it got would be wrong"
    return [
        (0.0, "where two source words stand for one, one of the two links is out of reach"),
        (1 - 2 * chosen / (words + sure), forced),
        (1 - 2 * words / (words + sure), forced),
        (1 - chosen / sure, "that is the recall that is lost; the error rate counts precision as well"),
        (1 - 2 * sources / (sources + sure), "each *target* word has one link; a source word may have several"),
        (
            1 - 2 * either / (either + sure),
            "a source word may have several links: only target words are limited to one",
        ),
        (
            float(np.mean([1 - 2 * len(a) / (len(a) + len(s)) for a, s in zip(best, gold, strict=True)])),
            "links are summed over the sentences before they are divided",
        ),
        (2 * chosen / (chosen + sure), "that is 1 less the error rate"),
        (1 - chosen / (chosen + sure), "a right link counts twice, among the proposed links and among the true ones"),
        (
            1 - 2 * (one := len({j for links in gold for _, j in links})) / (one + sure),
            "word 0 of one sentence and word 0 of the next are two words: count within each sentence",
        ),
    ]


def observed() -> tuple[Tensor, int, int]:
    """Made-up weights over a source of 4 words and ``</s>``, of a target of 3 words: rows `<s>` and the 3 words.

    What row t looked at serves to predict the word after it, so the last row belongs to ``</s>``.
    """
    weights = torch.full((4, 5), 0.05, dtype=torch.float64)
    for row, column in enumerate((2, 4, 0, 3)):
        weights[row, column] = 0.8
    return weights, 4, 3


@checking
def check_links(candidate: object) -> Report:
    """Does ``candidate(weights, n_source, n_target)`` link each target word with the source word looked at for it?

    Pairs (source place, target place), both from 0; a word for which `</s>` was looked at has no link.
    """
    after = "each word got the row that was made *after* it was read: row t belongs to the word that comes next"
    normal = Normal(8)
    cases = [observed()]
    for n_source, n_target in ((6, 8), (9, 5)):
        cases.append((softmax(3 * normal(n_target + 1, n_source + 1)), n_source, n_target))
    for weights, n_source, n_target in cases:
        got = attempt(candidate, weights, n_source, n_target)
        try:
            links = {(int(i), int(j)) for i, j in got}
        except (TypeError, ValueError) as error:
            raise NotYet("Expected a set of pairs (source place, target place).") from error
        best = weights.argmax(dim=1).tolist()
        right = {(i, j) for j, i in enumerate(best[:n_target]) if i < n_source}
        if links == right:
            continue
        late = {(i, j) for j, i in enumerate(best[1 : n_target + 1])}
        mistakes = [
            (late, after),
            ({link for link in late if link[0] < n_source}, after),
            ({(i, j) for j, i in enumerate(best[:n_target])}, f"place {n_source} of the source is `</s>` and no word"),
            ({(i, j) for j, i in enumerate(best) if i < n_source}, "the last row belongs to `</s>`, which is no word"),
            (set(enumerate(best)) | {(i, j) for j, i in enumerate(best)}, "each link is there both ways"),
            ({(i, j) for j, i in enumerate(best)}, "`</s>` is no word, neither of the source nor of the target"),
            ({(j, i) for i, j in right}, "source and target have changed places in the pairs"),
            ({(i, int(weights[:n_target, i].argmax())) for i in range(n_source)}, "each *source* word chose a row: "
             "the largest weight is looked for in each row"),
        ]  # fmt: skip
        hint = recognise(links, mistakes, eq)
        if hint is None:
            odd = sorted(links ^ right)[0]
            hint = f"{odd} {'is no link' if odd in links else 'is missing'}"
        raise NotYet(f"With {n_source} source and {n_target} target words: {hint}.")
    return Report(True, "Every row was read as what it is: where the model looked before it wrote the word.")


def _exchanged() -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Weights, values, values of another sentence and a direction: two states with a pencil, and two drawn cases."""
    normal = Normal(11)
    pencil = [torch.tensor(x, dtype=torch.float64) for x in ([0.75, 0.25], [[2, 1], [4, 0]], [[0, 1], [0, 0]], [1, 1])]
    cases = [tuple(pencil)]
    for n, width in ((5, 3), (3, 6)):
        cases.append((softmax(normal(1, n))[0], normal(n, width), normal(n, width), normal(width)))
    return cases


@checking
def check_falls(candidate: object) -> Report:
    """Does ``candidate(a, h, h_other, w)`` say by how much each exchange of one value alone lowers w · context?"""
    for a, h, other, w in _exchanged():
        got = attempt(candidate, a, h, other, w)
        n = len(a)
        right = a * ((h - other) @ w)
        if np.ndim(got) == 0 and isinstance(got, (Tensor, float)) and abs(float(got) - float(right.sum())) < 1e-9:
            raise NotYet("That is what all exchanges together lower: give a number for each state.")
        falls = expect_array(as_tensor(got), (n,), "a number per state", name="the falls")
        if agrees(falls, right):
            continue
        kept = a @ h @ w
        mistakes = [
            (-right, "The sign: a fall is what was there, less what is there after the exchange."),
            ((h - other) @ w, "The weights are missing: a state with a small weight has little say."),
            (kept - right, "These are the log-odds after each exchange, not by how much they have fallen."),
            (a * (h @ w), "That leaves the state out and puts nothing in its place: the other state has its say too."),
            (a * (other @ w), "That is what the other states say; what the first ones said is taken away as well."),
            (right.abs(), "An exchange may raise the log-odds: then its fall is negative."),
            (right / right.sum(), "The falls are not shares: leave them as they are."),
        ]
        diagnose(falls, right, mistakes)
    return Report(True, "Here the falls add up to what all exchanges together lower, because nothing bends w · c.")


@checking
def check_silent(odds: object) -> Report:
    """Does no exchange alone change ``odds(like, cats)``, while both together make the singular more probable?"""
    found = {}
    for like, cats in ((1, 1), (0, 1), (1, 0), (0, 0)):
        found[like, cats] = expect_number(attempt(odds, like, cats), f"odds({like}, {cats})")
    kept, without_like, without_cats, neither = found.values()
    if kept <= 0:
        raise NotYet(f"odds(1, 1) is {kept:g}: with both states of *I like cats.* the plural has to be more probable.")
    for name, other in (("like", without_like), ("cats", without_cats)):
        if abs(other - kept) > 1e-9:
            raise NotYet(f"The exchange of {name} alone takes the log-odds from {kept:g} to {other:g}: it is noticed.")
    if neither >= 0:
        raise NotYet(f"odds(0, 0) is {neither:g}: without both states the singular has to be more probable.")
    return Report(True, "One witness is enough for this decoder, so it misses neither, and it was told by both.")
