"""Checks for *Word alignment by counting* and *How good is an alignment?*.

Of the first: predicted shares, the probability of a pair, a round that counts hard, a start that stays wrong. Of the
second: predicted rates, an error rate, two directions. One of the tables that a round begins with is the package's
Model 1, which has tests of its own against brute force.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from operator import eq

from ...counting.ibm1 import NOTHING, IBMModel1
from ..known_mistakes import near, predictions_check, recognise
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts
from ..tables import first_difference, same

# Each number to be predicted: its value, and what other values come from.
_SHARES = {
    "a": (8 / 9, {4 / 5: "that is after three rounds", 2 / 3: "that is after two rounds",
                  16 / 17: "that is after five rounds, or with one other word in place of two"}),
    "b": (10 / 17, {4 / 7: "that is the count of *buenos* for *good*; divide it by the sum of the counts of *good*",
                    2 / 3: "that is the table before the round",
                    1 / 2: "the table does not begin even, so the shares are not even",
                    34 / 35: "that is the sum of the counts of *good*",
                    58 / 99: "that is after two rounds"}),
}  # fmt: skip
_PRECISION = "that is 1 minus the precision: the sure links that were missed count, too"
_RECALL = "that is 1 minus the recall: the wrong links that were proposed count, too"
_TWICE = "links that are right count twice: they are sure, so they are possible as well"
_RATES = {
    "a": (3 / 7, {4 / 7: "subtract that from 1: it is an error rate", 1 / 3: _PRECISION, 1 / 2: _RECALL,
                  5 / 7: _TWICE}),
    "b": (1 / 3, {2 / 3: f"subtract that from 1, if you did not yet; and {_TWICE}", 0: _PRECISION, 1 / 2: _RECALL}),
    "c": (1 / 3, {2 / 3: f"subtract that from 1, if you did not yet; and {_TWICE}", 2 / 5: _PRECISION, 1 / 4: _RECALL,
                  1 - 6 / 11: "a link that both directions propose is one link of a set"}),
}  # fmt: skip


check_claims = predictions_check(
    _SHARES,
    1e-4,
    "Are the two predictions right? ``predictions`` holds a number for each letter.",
    "8/9 and 10/17: pairs that differ sharpen a table; a single pair remembers where the table began.",
)
check_rates = predictions_check(
    _RATES,
    1e-4,
    "Are the three predicted error rates right? ``predictions`` holds a number for each letter.",
    "3/7, 1/3 and 1/3: what both say is surer, what either says is more, and here neither is ahead.",
)


@checking
def check_probability(candidate: object) -> Report:
    """Does ``candidate(x, y, t)`` return the probability of y given x by Model 1, the empty word added to x?"""
    rng = random.Random(3)
    for x, y in (("cats dogs", "gatos perros gatos"), ("cats", "gatos perros"), ("a b b", "v v v v")):
        x, y = x.split(), y.split()
        given, made = [NOTHING, *sorted(set(x))], sorted({*y, "otro"})
        t = {}
        for u in given:
            drawn = [rng.uniform(0.2, 1) for _ in made]
            t |= {(v, u): share / sum(drawn) for v, share in zip(made, drawn, strict=True)}
        all_of_x = [NOTHING, *x]
        offered = [sum(t[v, u] for u in all_of_x) for v in y]
        without = [sum(t[v, u] for u in x) for v in y]
        right = math.prod(offered) / len(all_of_x) ** len(y)
        got = expect_number(attempt(candidate, list(x), list(y), dict(t)), "the probability")
        if math.isclose(got, right, rel_tol=1e-6):
            continue
        mistakes = (
            (math.prod(without) / len(all_of_x) ** len(y), "the empty word makes words, too: add t[v, '<null>']"),
            (math.prod(without) / len(x) ** len(y), "the empty word is missing, in the sums and below the bar"),
            (math.prod(offered) / len(x) ** len(y), "with the empty word there are l + 1 makers to choose from, not l"),
            (math.prod(offered), "each word has l + 1 makers to choose from: divide"),
            (math.prod(offered) / len(all_of_x), "the choice is made for each word of y: l + 1, to the power m"),
            (sum(offered) / len(all_of_x) ** len(y), "the words of y are made independently: multiply over them"),
            (math.log(right), "that is its logarithm"),
            (math.prod(t[v, u] for v in y for u in all_of_x) / len(all_of_x) ** len(y), "a word of y has one maker, "
             "this one or that one: add over the makers"),
            (math.prod(max(t[v, u] for u in all_of_x) for v in y) / len(all_of_x) ** len(y), "that counts the best "
             "maker of each word alone; any of them may have made it: add"),
        )  # fmt: skip
        hint = recognise(got, mistakes, near(rel_tol=1e-6))
        told = f"For {' '.join(x)} and {' '.join(y)} it gives {got:.6g} and should give {right:.6g}"
        raise NotYet(told + (f": {hint}." if hint else "."))
    return Report(True, "Right for three pairs, with words that stand twice and with the empty word.")


@checking
def check_error_rate(candidate: object) -> Report:
    """Does ``candidate(proposed, sure, possible)`` return the alignment error rate of sets of links?"""
    rng = random.Random(7)
    places = [(i, j) for i in range(6) for j in range(5)]
    cases = [({(0, 0), (1, 2)}, {(0, 0), (1, 1), (2, 2)}, {(0, 0), (1, 1), (2, 2)}), (set(), {(0, 0)}, {(0, 0)})]
    for size in (3, 6, 9):
        sure = set(rng.sample(places, size))
        possible = sure | set(rng.sample(places, 5))
        cases.append((set(rng.sample(sorted(possible), 3)) | set(rng.sample(places, 3)), sure, possible))
    for proposed, sure, possible in cases:
        in_sure, in_possible = len(proposed & sure), len(proposed & possible)
        of_both = len(proposed) + len(sure)
        right = 1 - (in_sure + in_possible) / of_both
        got = expect_number(attempt(candidate, set(proposed), set(sure), set(possible)), "the error rate")
        if abs(got - right) < 1e-6:
            continue
        precision, recall = in_possible / (len(proposed) or 1), in_sure / len(sure)
        mistakes = {
            1 - right: "subtract that from 1: it is an error rate",
            1 - in_sure / len(sure): "that is 1 minus the recall",
            1 - precision: "that is 1 minus the precision",
            1 - 2 * in_sure / of_both: "a link that is possible and not sure is no error: `possible` is not used",
            1 - 2 * in_possible / of_both: "a link that is possible and not sure counts once above the bar, not twice",
            1 - (in_sure + in_possible) / (len(proposed) + len(possible)): "below the bar stand the sure links, not "
            "the possible ones",
            1 - (precision + recall) / 2: "that is 1 minus the mean of precision and recall; the numbers of links are "
            "added before they are divided",
            1 - in_sure / of_both: "above the bar the right links count in both sets",
        }
        told = f"With {sorted(proposed)} proposed, {sorted(sure)} sure and {sorted(possible)} possible it gives"
        hint = recognise(got, mistakes, near(abs_tol=1e-6))
        raise NotYet(f"{told} {got:.4g} and should give {right:.4g}" + (f": {hint}." if hint else "."))
    return Report(True, "Missed links and wrong links both count, and a possible one is no error.")


_PAIRS = (
    ("cats dogs", "gatos perros"),
    ("dogs birds dogs", "perros pájaros perros"),
    ("birds", "pájaros gatos"),
    ("cats", "gatos"),
)


@checking
def check_hard_round(candidate: object) -> Report:
    """Does ``candidate(pairs, t)`` return the next table if each word of y counts wholly for its best words of x?

    Words of x with equal t share the count equally. ``<null>`` stands in each x already.
    """
    pairs = [((NOTHING, *x.split()), tuple(y.split())) for x, y in _PAIRS]
    cells = {(word, given) for x, y in pairs for word in y for given in x}
    column = Counter(given for _, given in cells)
    even = {(word, given): 1 / column[given] for word, given in cells}
    model = IBMModel1([(x[1:], y) for x, y in pairs]).fit(2)
    tables = even, {(word, given): model.t(word, given) for word, given in cells}
    for what, t in zip(("From an even table", "From the table after two rounds of Model 1"), tables, strict=True):
        right = _shares(_hard_counts(pairs, t), 1)
        got = attempt(candidate, pairs, dict(t))
        if not isinstance(got, Mapping) or got.keys() != cells:
            raise NotYet("Expected a dictionary with the same keys as `t`, (word of y, word of x).")
        got = {cell: expect_number(got[cell], f"t{cell}") for cell in cells}
        if not same(got, right):
            raise NotYet(f"{what}: {_hard_mistake(pairs, t, got, right)}.")
    return Report(True, "Two rounds are right, one with many ties and one with hardly any.")


_DOORS = (("cats dogs", "gatos perros"), ("birds dogs", "pájaros perros"), ("birds cats", "gatos pájaros"))
_LEAST, _ROUNDS = 0.001, 1000


@checking
def check_start(start: object) -> Report:
    """Is this a table from which *cats* may become *gatos*, and from which EM on the doors never comes near it?"""
    doors = [(x.split(), y.split()) for x, y in _DOORS]
    english, spanish = (sorted({word for door in doors for word in door[side]}) for side in (0, 1))
    cells = [(v, u) for u in english for v in spanish]
    if not isinstance(start, Mapping) or set(start) != set(cells):
        raise NotYet("Give a dictionary with nine numbers, `start[v, u]` for each Spanish v and each English u.")
    if left := [cell for cell in cells if start[cell] is ...]:
        raise NotYet(f"start{left[0]} is still open.")
    t = {cell: expect_number(start[cell], f"start{cell}") for cell in cells}
    for cell, share in t.items():
        if share < 0 or 0 < share < _LEAST:
            raise NotYet(f"start{cell} is {share:g}; each number is 0 or at least {_LEAST}.")
    for u in english:
        if abs((total := sum(t[v, u] for v in spanish)) - 1) > 1e-6:
            raise NotYet(f"The three numbers of {u} sum to {total:.4g}, not to 1.")
    if not t["gatos", "cats"]:
        raise NotYet("start['gatos', 'cats'] is 0, so *cats* may not become *gatos* at all; the claim is about others.")
    for _ in range(_ROUNDS):
        counts = dict.fromkeys(cells, 0.0)
        for x, y in doors:
            for v in y:
                if not (claims := sum(t[v, u] for u in x)):
                    raise NotYet(
                        f"No word of {' '.join(x)} can make {v}: this pair is impossible, and nothing claims it."
                    )
                for u in x:
                    counts[v, u] += t[v, u] / claims
        t = _shares(counts, 1)
    end = t["gatos", "cats"]
    if end >= 0.75:
        raise NotYet(f"From there t(gatos | cats) ends at {end:.4f}. Which 0 would give *cats* something else to make?")
    return Report(True, f"t(gatos | cats) ends at {end:.4f}: a 0 stays 0, and what it should make falls to others.")


def _hard_counts(pairs: list, t: dict) -> dict:
    """How often each word of x made each word of y, if every word of y goes to its best words of x, in equal parts."""
    counts = dict.fromkeys(t, 0.0)
    for x, y in pairs:
        for word in y:
            largest = max(t[word, given] for given in x)
            best = [given for given in x if abs(t[word, given] - largest) < 1e-9]
            for given in best:
                counts[word, given] += 1 / len(best)
    return counts


def _hard_mistake(pairs: list, t: dict, got: dict, right: dict) -> str:
    hard = _hard_counts(pairs, t)
    soft, once, first, last, whole = ({cell: 0.0 for cell in t} for _ in range(5))
    for x, y in pairs:
        for word in y:
            total, largest = sum(t[word, given] for given in x), max(t[word, given] for given in x)
            best = [given for given in x if abs(t[word, given] - largest) < 1e-9]
            first[word, best[0]] += 1
            last[word, best[-1]] += 1
            for given in x:
                soft[word, given] += t[word, given] / total
            for given in best:
                once[word, given] = 1 / len(best)
                whole[word, given] += 1
    mistakes = (
        (_shares(soft, 1), "those are the shares of the page: here a word of y counts for its best x alone"),
        (hard, "those are the counts: they are still to be divided by the sum of each x"),
        (_shares(hard, 0), "the counts are divided by the sums of the wrong side. t(y | x) is to sum to 1 over y, "
         "for each x"),
        (_shares(first, 1), "of several best words the first gets everything; they share the count equally"),
        (_shares(last, 1), "of several best words the last gets everything; they share the count equally"),
        (_shares(whole, 1), "each of several best words gets a whole count; one word of y is one count in all"),
        (_shares(once, 1), "a pair overwrites what an earlier one counted: add"),
        (t, "nothing has changed"),
    )  # fmt: skip
    if hint := recognise(got, mistakes, same):
        return hint
    sums = Counter()
    for (_, given), share in got.items():
        sums[given] += share
    off = next((given for given in sorted(sums) if min(abs(sums[given] - 1), abs(sums[given])) > 1e-6), None)
    if off is not None:
        return f"the column of {off} sums to {sums[off]:.4g}, not to 1"
    return first_difference(got, right)


def _shares(counts: Mapping, side: int) -> dict:
    sums = Counter()
    for cell, count in counts.items():
        sums[cell[side]] += count
    return {cell: count / sums[cell[side]] if sums[cell[side]] else 0.0 for cell, count in counts.items()}


@checking
def check_two_directions(candidate: object) -> Report:
    """Does ``candidate(forward, backward)`` return the links both directions have, and those that either has?

    Forward links are (position in x, position in y); backward ones come from the model that was given y, turned round.
    """
    cases = [
        ({(0, 0), (1, 2), (3, 1)}, {(0, 0), (2, 1), (3, 2)}),
        ({(0, 1), (1, 0), (3, 3)}, {(1, 0), (2, 2), (3, 3)}),
        ({(0, 3)}, {(0, 3)}),
        *_drawn_links(),
    ]
    for forward, backward in cases:
        turned = {(i, j) for j, i in backward}
        parts = attempt(candidate, set(forward), set(backward))
        both, either = (_links(part) for part in expect_parts(parts, ("both", "either")))
        if (both, either) == (forward & turned, forward | turned):
            continue
        told = f"With forward {sorted(forward)} and backward {sorted(backward)}"
        mistakes = (
            ((forward & backward, forward | backward), "a backward link is (position in y, position in x): turn it "
             "first"),
            ((forward | turned, forward & turned), "the two are exchanged: *both* is the smaller set"),
            (({(j, i) for i, j in forward} & backward, {(j, i) for i, j in forward} | backward), "all is turned to "
             "(y, x); the gold links are (x, y)"),
        )  # fmt: skip
        hint = recognise((both, either), mistakes, eq)
        if hint is None and both != forward & turned:
            hint = f"the links of both are {sorted(both)}, expected {sorted(forward & turned)}"
        elif hint is None:
            hint = f"the links of either are {sorted(either)}, expected {sorted(forward | turned)}"
        raise NotYet(f"{told}: {hint}.")
    return Report(True, "Turned, then compared. What both directions say is rarer and more often right.")


def _drawn_links() -> list[tuple[set, set]]:
    """Random links of both directions, some of which agree."""
    rng, cases = random.Random(4), []
    places = [(i, j) for i in range(5) for j in range(6)]
    for _ in range(3):
        forward, others = (set(rng.sample(places, 6)) for _ in range(2))
        cases.append((forward, {(j, i) for i, j in {*others, *rng.sample(sorted(forward), 2)}}))
    return cases


def _links(part: object) -> set:
    if isinstance(part, Iterable) and not isinstance(part, str):
        try:
            return {(int(i), int(j)) for i, j in part}
        except (TypeError, ValueError, RuntimeError):  # no pairs, or no numbers in them
            pass
    raise NotYet("Expected two sets of links, (position in x, position in y).")
