"""Checks for decoding and search errors: searches and one step of a beam, the score, the temperature, and traps."""

import heapq
import math
import random
from collections.abc import Callable, Mapping, Sequence
from operator import eq

from ...examples.small_bigram import END, SmallBigram
from ...translation.decoding import beam_search, gnmt_penalty
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, attempt, checking, expect_number, expect_parts
from ..tables import first_difference, same

Following = Callable[[Sequence[str]], dict[str, float]]
_LONGEST = 10  # tokens of a sentence in a language that a reader makes
_MOST_CALLS = 100


class _Language:
    """What follows a prefix, drawn by a seed from the whole prefix; it remembers what it was asked."""

    def __init__(self, seed: int, ends: bool = True):
        self.seed, self.ends, self.calls, self.asked_after_end, self.longest = seed, ends, 0, False, 0

    def __call__(self, words: Sequence[str]) -> dict[str, float]:
        self.calls, self.longest = self.calls + 1, max(self.longest, len(words))
        if self.calls > _MOST_CALLS:
            raise RuntimeError("following() was asked a hundred times")
        if END in words:
            self.asked_after_end = True
            return {END: 1.0}
        drawn = random.Random(f"{self.seed} {' '.join(words)}")
        shares = {word: drawn.random() ** 2 + 0.01 for word in ("red", "blue", "green")}
        if words:
            shares[END] = 0.3 * len(words) ** 2 if self.ends else 0.001
        total = sum(shares.values())
        return {word: share / total for word, share in shares.items()}


def _greedy(
    following: Following, max_len: int, choose: Callable = lambda row: max(row, key=row.get), last_only: bool = False
) -> list[str]:
    words: list[str] = []
    while len(words) < max_len and END not in words:
        words.append(choose(following(words[-1:] if last_only else words)))
    return words


@checking
def check_greedy(candidate: object) -> Report:
    """Does ``candidate(following, max_len)`` take the most probable word each time, until ``</s>`` or `max_len`?"""
    for seed in range(20):
        language = _Language(seed)
        got = _words(attempt(candidate, language, 12))
        if language.asked_after_end:
            raise NotYet("It goes on after `</s>`: that token ends the sentence, and nothing follows it.")
        wanted = _greedy(_Language(seed), 12)
        if got == wanted:
            continue
        if language.calls > 1 and language.longest == 0:
            raise NotYet("It always asks `following` about the empty beginning: pass the words written so far.")
        if got == wanted[:-1]:
            raise NotYet("`</s>` is missing at the end: it is a token like the others, and its probability counts.")
        known = {
            "It gives `following` the last word only: this model looks at the whole prefix.": (
                _greedy(_Language(seed), 12, last_only=True)
            ),
            "It takes the least probable word.": _greedy(_Language(seed), 12, lambda row: min(row, key=row.get)),
            "It takes the first word that is listed, not the most probable one.": (
                _greedy(_Language(seed), 12, lambda row: next(iter(row)))
            ),
        }
        if fault := recognise(got, known, eq):
            raise NotYet(fault)
        place = next((n for n, both in enumerate(zip(got, wanted, strict=False)) if both[0] != both[1]), None)
        where = f"at word {place} (counted from 0)" if place is not None else "in its length"
        raise NotYet(f"It differs {where}: got `{' '.join(got)}`, expected `{' '.join(wanted)}`.")
    language = _Language(0, ends=False)
    try:
        got = _words(attempt(candidate, language, 7))
    except NotYet as fault:
        if language.calls > _MOST_CALLS:
            raise NotYet("It never stops where no `</s>` comes: end at max_len tokens.") from fault
        raise
    if len(got) != 7:
        raise NotYet(f"Where no `</s>` comes, it should stop at max_len = 7 tokens; it has {len(got)}.")
    return Report(True, "The most probable word each time, given the whole prefix, and an end at </s> or max_len.")


def _words(got: object) -> list[str]:
    if not isinstance(got, (list, tuple)) or not all(isinstance(word, str) for word in got):
        raise NotYet(f"Expected a list of words, got {type(got).__name__}.")
    return list(got)


Prefix = tuple[tuple[str, ...], float]


def _step(
    live: Sequence[Prefix], following: Following, beam_size: int, join: Callable[[float, float], float]
) -> tuple[list[Prefix], list[Prefix]]:
    grown = [((*words, word), join(total, p)) for words, total in live for word, p in following(words).items()]
    best = sorted(grown, key=lambda prefix: -prefix[1])[:beam_size]
    return [one for one in best if one[0][-1] != END], [one for one in best if one[0][-1] == END]


def _added(total: float, p: float) -> float:
    return total + math.log(p)


@checking
def check_beam_step(candidate: object) -> Report:
    """Does ``candidate(live, following, beam_size)`` return (live, finished) of the beam's next step, best first?"""
    for seed in range(30):
        live, beam_size = [((), 0.0)], 2 + (seed + 1) % 3
        for _ in range(4):
            got = expect_parts(attempt(candidate, live, _Language(seed), beam_size), ("live", "finished"))
            wanted = _step(live, _Language(seed), beam_size, _added)
            got = tuple(_prefixes(part) for part in got)
            if not _alike(got, wanted):
                raise NotYet(_fault_of_step(got, live, seed, beam_size, wanted))
            live = wanted[0]
            if not live:
                break
    return Report(True, "The best continuations of all prefixes together, by sums of logs; those that ended set apart.")


def _fault_of_step(got: tuple, live: list[Prefix], seed: int, beam_size: int, wanted: tuple) -> str:
    language = _Language(seed)
    rows = {words: language(words) for words, _ in live}
    each = [_step([one], language, 1, _added) for one in live]
    cut_each = [_step([one], language, beam_size, _added) for one in live]
    by_product = _step(live, language, beam_size, lambda total, p: total * math.log(p))
    by_chance = _step(live, language, beam_size, lambda total, p: total + p)
    wide = _step(live, language, sum(map(len, rows.values())), _added)
    known = {
        "It keeps the best continuation of each prefix; the beam takes the best of all of them together, and a strong "
        "prefix may have several.": tuple(_sorted([p for one in each for p in one[n]]) for n in (0, 1)),
        "It cuts off after beam_size continuations of each prefix, and never across prefixes: put the continuations of "
        "all prefixes into one list, and cut that once.": tuple(
            _sorted([p for one in cut_each for p in one[n]]) for n in (0, 1)
        ),
        "It keeps the right words with the log-probability of the last word alone: add that of the prefix.": (
            tuple([(words, math.log(rows[words[:-1]][words[-1]])) for words, _ in part] for part in wanted)
        ),
        "It multiplies log-probabilities: probabilities multiply, their logarithms add up.": by_product,
        "It adds probabilities to logarithms: add log p.": by_chance,
        "It keeps beam_size live prefixes beside those that ended; here those that end take places in the beam.": (
            wide[0][:beam_size], wanted[1],
        ),
        "It keeps everything: cut off after beam_size.": wide,
        "A prefix that ended in `</s>` is among the live ones: it would be continued.": (
            _sorted(wanted[0] + wanted[1]), wanted[1],
        ),
        "The two lists are swapped: live prefixes first.": (wanted[1], wanted[0]),
    }  # fmt: skip
    if fault := recognise(got, known, _alike):
        return fault
    if _alike(tuple(_sorted(part) for part in got), wanted):
        return "The right prefixes in the wrong order: the best first."
    return (
        f"With a beam of {beam_size} and {len(live)} live prefix{'es' * (len(live) > 1)}, expected {_shown(wanted)}; "
        f"got {_shown(got)}."
    )


def _shown(both: Sequence[list[Prefix]]) -> str:
    """Live and finished prefixes in words, the first few of each."""
    parts = []
    for name, part in zip(("live", "finished"), both, strict=True):
        each = [f"`{' '.join(words)}` {total:.3f}" for words, total in part[:4]] + ["…"] * (len(part) > 4)
        parts.append(f"{name} {', '.join(each) or 'nothing'}")
    return " and ".join(parts)


def _sorted(prefixes: Sequence[Prefix]) -> list[Prefix]:
    return sorted(prefixes, key=lambda prefix: -prefix[1])


def _prefixes(part: object) -> list[Prefix]:
    """What a reader returned as one list of prefixes, once it is one."""
    try:
        return [(tuple(str(word) for word in words), float(total)) for words, total in part]
    except (TypeError, ValueError) as error:
        raise NotYet("Each prefix must be a pair: a tuple of words, and its log-probability.") from error


def _alike(got: Sequence, wanted: Sequence) -> bool:
    return all(
        [words for words, _ in a] == [words for words, _ in b]
        and all(math.isclose(x, y, abs_tol=1e-9) for (_, x), (_, y) in zip(a, b, strict=True))
        for a, b in zip(got, wanted, strict=True)
    )


@checking
def check_score(candidate: object) -> Report:
    """Is ``candidate(log_prob, length, alpha)`` the log-probability over ((5 + length) / 6)^alpha?"""
    cases = [(-2.0, 7, 0.6), (-2.0, 4, 0.6), (-7.5, 13, 1.0), (-1.0, 1, 0.6), (-3.0, 9, 0.0), (-0.4, 30, 0.3)]
    for log_prob, length, alpha in cases:
        got = expect_number(attempt(candidate, log_prob, length, alpha), "the score")
        known = {
            "It multiplies by the penalty: a log-probability is negative, so long sentences would suffer twice.": (
                log_prob * gnmt_penalty(length, alpha)
            ),
            "It divides by length^α. The formula first adds 5 to the length and divides by 6.": (
                log_prob / length**alpha
            ),
            "The 5 is missing: it divides by (length / 6)^α.": log_prob / (length / 6) ** alpha,
            "The 6 is missing: it divides by (5 + length)^α.": log_prob / (5 + length) ** alpha,
            "It divides by (5 + length / 6)^α: the whole sum 5 + length is over 6.": (
                log_prob / (5 + length / 6) ** alpha
            ),
            "It divides the length penalty by the log-probability: the other way round.": (
                gnmt_penalty(length, alpha) / log_prob
            ),
            "α is a factor here, and it should be an exponent.": (
                log_prob / ((5 + length) / 6 * alpha) if alpha else math.nan
            ),
            "It subtracts the penalty: it should divide by it.": log_prob - gnmt_penalty(length, alpha),
            "It does not count `</s>`: length is the number of tokens, that one included.": (
                log_prob / gnmt_penalty(length - 1, alpha)
            ),
        }
        wanted = log_prob / gnmt_penalty(length, alpha)
        if math.isclose(got, wanted, rel_tol=1e-9):
            continue
        if fault := recognise(got, known, near(rel_tol=1e-9)):
            raise NotYet(fault)
        raise NotYet(f"For log p = {log_prob}, {length} tokens and α = {alpha}: got {got:.6g}, expected {wanted:.6g}.")
    return Report(True, "log p over ((5 + length) / 6)^α: 1 token is left alone, longer ones lose less.")


def _best_first(following: Following, found_first: bool = False) -> list[str]:
    agenda: list[tuple[float, tuple[str, ...]]] = [(-1.0, ())]
    while True:
        cost, words = heapq.heappop(agenda)
        if words[-1:] == (END,):
            return list(words)
        for word, p in sorted(following(words).items(), key=lambda one: -one[1]):
            if found_first and word == END:
                return [*words, END]
            heapq.heappush(agenda, (cost * p, (*words, word)))


@checking
def check_best_first(candidate: object) -> Report:
    """Does ``candidate(following)`` return the most probable sentence, and continue no more prefixes than it must?"""
    for seed in range(20):
        language, enough = _Language(seed), _Language(seed)
        got, wanted = _words(attempt(candidate, language)), _best_first(enough)
        if language.asked_after_end:
            raise NotYet("It continues a sentence after `</s>`: when one comes to the top, the search is over.")
        known = {
            "`</s>` is missing at the end: it is a token like the others.": wanted[:-1],
            "It returns the first finished sentence that comes on the list; a more probable one may still come. Stop "
            "when a finished sentence is the most probable of all that are on the list.": (
                _best_first(_Language(seed), found_first=True)
            ),
            "It writes what greedy search writes: keep all prefixes, and go back to one that has become the best.": (
                _greedy(_Language(seed), 12)
            ),
        }
        if got != wanted:
            other = f"Got `{' '.join(got[:12])}`, and `{' '.join(wanted)}` is more probable. "
            other += "Take the most probable prefix each time (`heapq` takes the smallest number)."
            raise NotYet(recognise(got, known, eq) or other)
        if language.calls > enough.calls:
            raise NotYet(
                f"The right sentence, after continuing {language.calls} prefixes where {enough.calls} are enough: "
                "always continue the most probable one, and only once."
            )
    return Report(True, "The most probable sentence of 20 languages, and no prefix continued that need not be.")


def _tempered(row: Mapping[str, float], power: float) -> dict[str, float]:
    total = math.fsum(p**power for p in row.values())
    return {word: p**power / total for word, p in row.items()}


@checking
def check_tempered(candidate: object) -> Report:
    """Does ``candidate(row, temperature)`` divide the log-probabilities by it, and make them probabilities again?"""
    rows = {"red": 0.5, "blue": 0.3, "green": 0.2}, {"up": 0.9, "down": 0.1}
    for row, temperature in ((row, temperature) for temperature in (0.5, 2.0, 1.0, 0.2) for row in rows):
        given = attempt(candidate, dict(row), temperature)
        if not isinstance(given, Mapping) or given.keys() != row.keys():
            raise NotYet("Expected a dictionary with the words of the row, and a probability for each.")
        got = {word: expect_number(p, f"the probability of {word!r}") for word, p in given.items()}
        wanted, total = _tempered(row, 1 / temperature), math.fsum(math.exp(p / temperature) for p in row.values())
        known = {
            "They do not sum to 1: divide by their sum.": {word: p ** (1 / temperature) for word, p in row.items()},
            "It multiplies the logarithms by τ: divide them.": _tempered(row, temperature),
            "It changes nothing: p / τ, divided by the sum, is p again. Divide the logarithms.": row,
            "It divides the probabilities by τ: divide their logarithms.": {w: p / temperature for w, p in row.items()},
            "It takes p / τ to the exponent: take log p / τ.": (
                {word: math.exp(p / temperature) / total for word, p in row.items()}
            ),
        }
        if not same(got, wanted):
            told = f"With τ = {temperature}, {first_difference(got, wanted)}."
            raise NotYet(recognise(got, known, same) or told)
    return Report(True, "Each probability to the power 1/τ, divided by the sum of all.")


@checking
def check_beam_trap(table: object, beam_size: int = 3) -> Report:
    """Does a beam of `beam_size` miss the most probable sentence of the language with these bigrams?"""
    model = _language(table)
    best, *others = model.sentences(_LONGEST)
    (found,) = beam_search(model, model.source, beam_size, 0.0, _LONGEST)
    probability = math.exp(found.log_prob)
    if model.spelt(found.tokens) == " ".join([*best.words, END]):
        raise NotYet(
            f"The beam of {beam_size} finds the most probable sentence, `{' '.join(best.words)}` ({probability:.3f}). "
            "Its beginning must look worse than those of so many others that it is dropped."
        )
    if math.isclose(probability, best.probability):
        raise NotYet(f"A tie: `{model.spelt(found.tokens)}` is as probable as `{' '.join(best.words)}`.")
    return Report(
        True,
        f"A beam of {beam_size} finds `{model.spelt(found.tokens)}` ({probability:.3f}) and misses "
        f"`{' '.join(best.words)}` ({best.probability:.3f}), one of {1 + len(others)} sentences.",
    )


def carried_penalty(
    following: Following,
    beam_size: int,
    alpha: float,
    max_len: int,
) -> Prefix:
    """A beam search with a fault: the number that is divided by the penalty is carried on, and divided again."""
    live, finished = [((), 0.0)], []
    for length in range(1, max_len + 1):
        lp = gnmt_penalty(length, alpha)
        grown = [
            ((*words, word), (score + math.log(p)) / lp)
            for words, score in live
            for word, p in following(words).items()
        ]
        best = sorted(grown, key=lambda prefix: -prefix[1])[:beam_size]
        finished += [prefix for prefix in best if prefix[0][-1] == END]
        live = [prefix for prefix in best if prefix[0][-1] != END]
    return max(finished, key=lambda prefix: prefix[1])


@checking
def check_carried_penalty(table: object, beam_size: int = 2, alpha: float = 0.6) -> Report:
    """Does `carried_penalty` return another sentence than the right search, in the language with these bigrams?"""
    model = _language(table)
    (right,) = beam_search(model, model.source, beam_size, alpha, _LONGEST)
    try:
        words, _ = carried_penalty(model.following, beam_size, alpha, _LONGEST)
    except ValueError as error:
        raise NotYet("The faulty search finishes no sentence at all here; make your sentences shorter.") from error
    returned = {" ".join([*s.words, END]): s.probability for s in model.sentences(_LONGEST)}
    faulty, good = " ".join(words), model.spelt(right.tokens)
    if faulty == good:
        raise NotYet(
            f"Both return `{good}`. What was lost early is divided most often: let a long sentence lose much at "
            "its first word and little later."
        )
    score = math.log(returned[faulty]) / gnmt_penalty(len(words), alpha)
    if math.isclose(score, right.score):
        raise NotYet(f"A tie: `{faulty}` and `{good}` have the same score.")
    return Report(
        True,
        f"The right search returns `{good}` with the score {right.score:.3f}, the faulty one `{faulty}`, "
        f"whose score is {score:.3f}.",
    )


def _language(table: object) -> SmallBigram:
    if not isinstance(table, Mapping) or not all(isinstance(row, Mapping) for row in table.values()):
        raise NotYet("Expected a dictionary of dictionaries, such as `ANIMALS`.")
    if "<s>" not in table:
        raise NotYet("There is no row for `<s>`: what can come first?")
    try:
        model = SmallBigram(table)
    except TypeError as error:
        raise NotYet("This is no language: every probability must be a number.") from error
    except ValueError as error:
        raise NotYet(f"This is no language: {error}.") from error
    missing = 1 - math.fsum(sentence.probability for sentence in model.sentences(_LONGEST))
    if missing > 1e-9:
        raise NotYet(
            f"Sentences of more than {_LONGEST} tokens have {missing:.2g} of the probability: leave out loops, "
            "so that we can list them all."
        )
    return model
