"""Checks for *Subwords*: merges by hand and by a function, cutting a word, looking up rows, equal ids, wrong rules.

The oracles are :mod:`attention_book.data.byte_pair_encoding`, which equals the tokenizers library, and sums by hand.
"""

import re
import unicodedata
from collections.abc import Sequence

import torch
from torch.nn.functional import one_hot

from ...data.byte_pair_encoding import Merge, count_pairs, learn_merges, merge_pieces, split_word
from ...data.subwords import SPECIALS
from ...translation.shipped_translator import shipped
from ..answers import each_answer, is_one_of
from ..known_mistakes import near, recognise
from ..report import NotYet, Report, agrees, attempt, checking, expect_array, expect_number, first_difference

HAND_WORDS = {"cats": 3, "cat": 1, "hats": 2, "hat": 1, "eats": 1, "eat": 2, "that": 2}
"""The ten words of the page, and two more."""
_ASKED_MERGES = {"fourth": 3, "fifth": 4}
"""The merges that are asked for, and how many come before each."""
_BY_HAND = {
    "fourth": ["h", "at"],
    "fifth": ["e", "at"],
    "chat": ["c", "hat"],
    "cheats": ["c", "h", "e", "ats"],
}


@checking
def check_by_hand(answers: object) -> Report:
    """Are these the last two of five merges of the twelve words, and the pieces of two new words under all five?"""
    put = "a list of pieces"
    for name, answer in each_answer(answers, _BY_HAND, "a list of pieces for each of", put=put):
        got, right = _pieces(answer, f"`{name}`"), _BY_HAND[name]
        if got == right:
            continue
        if name in _ASKED_MERGES:
            raise NotYet(_about_a_merge(name, got))
        if "".join(got) != name:
            raise NotYet(f"Your pieces of *{name}* spell *{''.join(got)}*: pieces in a row must spell the word.")
        if name == "cheats" and got == ["c", "h", "eat", "s"]:
            raise NotYet(
                "*cheats*: the longest piece does not win. at + s was learned before e + at, so *s* is taken first."
            )
        if len(got) > len(right):
            raise NotYet(f"*{name}* can be joined further: go through the five merges in their order once more.")
        raise NotYet(f"*{name}* is not {' '.join(got)}: some piece there was never made by a merge.")
    return Report(
        True, "The merges are made in the order in which they were learned, whichever pieces would be longer."
    )


def _about_a_merge(name: str, got: list[str]) -> str:
    if len(got) != 2:
        return f"`{name}` is a merge: give the two pieces that it joins."
    before = _ASKED_MERGES[name]
    merges = learn_merges(HAND_WORDS, before)
    pairs = count_pairs((split_word(word, merges), n) for word, n in HAND_WORDS.items())
    pair, asked = tuple(got), tuple(_BY_HAND[name])
    told = f"`{name}`: {got[0]} + {got[1]}"
    if pair in pairs:
        often = "once" if pairs[pair] == 1 else f"{pairs[pair]} times"
        if pairs[pair] == pairs[asked]:
            return f"{told} stands {often}, as another pair does: the pair wins whose first piece is older."
        return f"{told} stands {often} in the twelve words by then, and another pair more often."
    if pair in merges:
        return f"{told} is one of the first {before} merges: no such neighbours are left."
    return f"{told}: these are no neighbours in any of the twelve words after {before} merges."


def _pieces(answer: object, name: str) -> list[str]:
    """An answer as a list of texts: a list, a tuple, or pieces parted by spaces."""
    if isinstance(answer, str):
        return answer.split()
    if not isinstance(answer, (list, tuple)) or not all(isinstance(piece, str) for piece in answer):
        raise NotYet(f"Expected {name} to be a list of texts, such as `['c', 'at']`.")
    return list(answer)


_COUNTED = (
    [(["c", "at"], 3), (["at", "e"], 5), (["c", "at", "s"], 4), (["e"], 9)],
    [(["a", "b", "a", "b"], 2), (["b", "c"], 3), (["b", "c"], 2), (["d"], 40)],
    [(["x", "y"], 2), (["y", "x"], 2), (["x", "z"], 3)],
    [(["o", "o"], 1), (["n", "o", "w"], 2), (["no", "w"], 4)],
)


@checking
def check_next_merge(candidate: object) -> Report:
    """Does ``candidate(words)`` give the most frequent pair of neighbours of ``[(pieces, count), …]``?"""
    for words in _COUNTED:
        got = _as_pair(attempt(candidate, words))
        pairs = count_pairs(words)
        right = max(pairs, key=pairs.__getitem__)
        if got == right:
            continue
        once = count_pairs((pieces, 1) for pieces, _ in words)
        letters = count_pairs((list("".join(pieces)), n) for pieces, n in words)
        across = count_pairs([([piece for pieces, n in words for piece in pieces * n], 1)])
        singles: dict[str, int] = {}
        for pieces, n in words:
            for piece in pieces:
                singles[piece] = singles.get(piece, 0) + n
        either = {pair: pairs[pair] + pairs.get(pair[::-1], 0) * (pair[0] != pair[1]) for pair in pairs}
        known = {
            "Every word was counted once: a pair counts as often as its word stands in the text.": _most(once),
            "Letters were counted: the neighbours are pieces, and some pieces have several letters.": _most(letters),
            "A pair was counted across the end of a word: the words are separate.": _most(across),
            "The order was ignored: x y and y x are two pairs.": (
                _most(either) | {tuple(sorted(pair)) for pair in _most(either)}
            ),
            "This is the rarest pair: the most frequent one is joined.": {min(pairs, key=pairs.__getitem__)},
            "These are the two most frequent pieces: count neighbours.": {
                tuple(sorted(singles, key=singles.__getitem__, reverse=True)[:2])
            },
        }
        fault = recognise(got, known, lambda mine, wrong: mine in wrong)
        told = f"In {words} it finds {got[0]} + {got[1]}, and {right[0]} + {right[1]} is more frequent."
        raise NotYet(f"{told} {fault or ''}".strip())
    return Report(True, "The pairs are counted within words, and each word as often as it stands in the text.")


def _most(pairs: dict[Merge, int]) -> set[Merge]:
    return {pair for pair in pairs if pairs[pair] == max(pairs.values())}


def _as_pair(got: object) -> Merge:
    if not isinstance(got, (list, tuple)) or len(got) != 2 or not all(isinstance(piece, str) for piece in got):
        raise NotYet("Expected a pair of pieces, such as `('a', 't')`.")
    return tuple(got)


_MERGES = learn_merges({"cats": 3, "cat": 1, "hats": 2, "hat": 1, "eats": 1, "eat": 2}, 5)
_SPLIT = ("hat", "eats", "cheats", "catseat", "scat", "zat", "a", "")


@checking
def check_split(candidate: object) -> Report:
    """Does ``candidate(word, merges)`` cut a word into pieces as byte-pair encoding does?"""
    cases = [("abcd", [("c", "d"), ("a", "b"), ("b", "c")]), ("abc", [("b", "c"), ("a", "bc"), ("a", "b")])]
    cases += [(word, _MERGES) for word in _SPLIT]
    cases += [("aaa", [("a", "a")]), ("abab", [("a", "b")]), ("abc", [("b", "c"), ("a", "b")])]
    for word, merges in cases:
        got = attempt(candidate, word, list(merges))
        if not isinstance(got, (list, tuple)) or not all(isinstance(piece, str) for piece in got):
            raise NotYet("Expected a list of pieces, each a text.")
        right = split_word(word, merges)
        if list(got) == right:
            continue
        known = {
            "Letters that no merge knows got lost: they stay pieces of one letter.": _without_unknown(word, merges),
            "The longest piece was taken from the left: make the merge that was learned first.": _longest(word, merges),
            "The first neighbours from the left that fit were joined: of all that fit, take the earliest merge.": (
                _leftmost(word, merges)
            ),
            "The merges were made from the last to the first: begin with the one that was learned first.": (
                split_word(word, merges[::-1])
            ),
            "A merge was made at one place only: join the pair wherever it stands.": _one_place(word, merges),
            "No merge was made: these are the letters.": list(word),
            "The pieces are right to left: from the left, in aaa the first two are joined.": _from_right(word, merges),
        }
        fault = recognise(list(got), known, lambda mine, wrong: mine == wrong)
        if fault is None and "".join(got) != word:
            fault = "The pieces in a row must spell the word."
        raise NotYet(f"It cuts {word!r} into {list(got)} and not into {right}. {fault or ''}".strip())
    return Report(True, "Cut as the package and the tokenizers library cut, unknown letters included.")


def _without_unknown(word: str, merges: Sequence[Merge]) -> list[str]:
    known = set("".join(left + right for left, right in merges))
    return split_word("".join(letter for letter in word if letter in known), merges)


def _longest(word: str, merges: Sequence[Merge]) -> list[str]:
    known, found, place = {left + right for left, right in merges}, [], 0
    while place < len(word):
        ends = [end for end in range(len(word), place + 1, -1) if word[place:end] in known]
        end = ends[0] if ends else place + 1
        found.append(word[place:end])
        place = end
    return found


def _leftmost(word: str, merges: Sequence[Merge]) -> list[str]:
    pieces, known = list(word), set(merges)
    while fitting := [n for n in range(len(pieces) - 1) if (pieces[n], pieces[n + 1]) in known]:
        pieces[fitting[0] : fitting[0] + 2] = ["".join(pieces[fitting[0] : fitting[0] + 2])]
    return pieces


def _one_place(word: str, merges: Sequence[Merge]) -> list[str]:
    pieces = list(word)
    for pair in merges:
        places = [n for n in range(len(pieces) - 1) if (pieces[n], pieces[n + 1]) == pair]
        if places:
            pieces[places[0] : places[0] + 2] = ["".join(pair)]
    return pieces


def _from_right(word: str, merges: Sequence[Merge]) -> list[str]:
    pieces = list(word)[::-1]
    for left, right in merges:
        pieces = merge_pieces(pieces, (right, left)) if left == right else pieces
    return pieces[::-1]


_NUMBERS = {
    "a": (5000, {3: "asked is the length of one row, not the number of rows", 512: "that is the width of a vector"}),
    "b": (2_560_000, {5512: "that is a sum: the table has a row for each id", 7_680_000: "that is three tables"}),
    "c": (
        5_120_000,
        {7_680_000: "asked is what is saved: one table stays", 2_560_000: "three tables become one, so two are saved"},
    ),
    "d": (3, {4: "an id that stands twice has one row", 5000: "a row that was not looked up gets no gradient"}),
}


@checking
def check_lookup_numbers(answers: object) -> Report:
    """Are these the four numbers a to d about a table of 5,000 rows of 512?"""
    for letter, answer in each_answer(answers, _NUMBERS, "a number for each of", open_name="({})", put="a number"):
        got, (right, mistakes) = expect_number(answer, f"({letter})"), _NUMBERS[letter]
        if got != right:
            reason = recognise(got, mistakes, near(rel_tol=1e-9))
            raise NotYet(f"({letter}) is not {got:,g}" + (f": {reason}." if reason else "."))
    return Report(True, "A lookup costs nothing, the table costs much, and a step moves the rows that were looked up.")


@checking
def check_lookup(candidate: object) -> Report:
    """Does ``candidate(ids, table)`` look up rows by multiplying with one-hot rows, for ids of any shape?"""
    generator = torch.Generator().manual_seed(3)
    for shape in ((4,), (2, 3), ()):
        weights = torch.randn(7, 5, generator=generator, dtype=torch.float64)
        ids = torch.randint(7, shape, generator=generator)
        got = attempt(candidate, ids, weights)
        meaning = "the shape of the ids, and then the width of the table"
        got = expect_array(got, (*shape, 5), meaning, like=got, name="the result")
        right = weights[ids]
        if agrees(got, right):
            continue
        rows = one_hot(ids, 7).double()
        known = {
            "The ids are off by one: they are counted from 0.": weights[(ids - 1) % 7],
            "The ids are off by one: the id is the row itself.": weights[(ids + 1) % 7],
            "The row was multiplied by its id: a one-hot row holds a 1.": weights[ids] * ids[..., None],
            "The mean of the table was mixed in: all other entries of a one-hot row are 0.": ((rows + 1 / 7) @ weights),
            "Every row holds the sum of the rows looked up: keep one row per id.": (
                (rows.reshape(-1, 7).sum(0) @ weights).expand(*shape, 5)
            ),
        }
        fault = recognise(got, known)
        raise NotYet(fault or f"A wrong number at {first_difference(got, right)}.")
    return Report(True, "A product with one-hot rows is a lookup.")


@checking
def check_same_ids(one: object, other: object) -> Report:
    """Are these two different texts that the shipped vocabulary turns into the same ids?"""
    if one is ... or other is ...:
        raise NotYet("Put a text in place of each `...`.")
    if not isinstance(one, str) or not isinstance(other, str):
        raise NotYet("Give two texts.")
    for text in (one, other):
        if not is_one_of(text.encode("utf-8", errors="replace").decode("utf-8"), [text]):
            raise NotYet("One of the texts has a lone surrogate, which is no character.")
    if one == other:
        raise NotYet("The two texts are the same to Python as well: `one == other` must be False.")
    if any(unicodedata.category(character).startswith("M") for character in one + other):
        raise NotYet("One of the texts holds a mark that is a character of its own. Find a pair without such marks.")
    subwords = shipped().subwords
    ids = subwords.encode(one), subwords.encode(other)
    if ids[0] != ids[1]:
        if unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other):
            raise NotYet(
                "These two look related, and NFC keeps them apart: it joins only what Unicode calls canonically equal."
            )
        if one.casefold() == other.casefold():
            raise NotYet("The vocabulary tells capitals from small letters: these have different ids.")
        if one.split() == other.split():
            raise NotYet("Spaces are bytes as well, and each counts: these have different ids.")
        raise NotYet(f"Their ids differ: {len(ids[0])} and {len(ids[1])} pieces.")
    return Report(True, f"{len(one)} and {len(other)} code points, and the same {len(ids[0])} ids: NFC made them one.")


_RULES = ("entry", "words", "singular")


@checking
def check_rules(answers: object) -> Report:
    """Does each answer break its rule about the shipped vocabulary: an id, two words, and a singular?"""
    asked = dict(each_answer(answers, _RULES, "an answer for each of", put="an answer"))
    _breaks_entry(asked["entry"])
    _breaks_length(asked["words"])
    _breaks_plural(asked["singular"])
    return Report(
        True, "All three rules are wrong: merges follow what is frequent, not what is a word, long or plural."
    )


def _breaks_entry(answer: object) -> None:
    subwords = shipped().subwords
    number = expect_number(answer, "`entry`")
    if number != int(number) or not 0 <= number < len(subwords):
        raise NotYet(f"`entry` should be an id, a whole number from 0 to {len(subwords) - 1}.")
    if number < len(SPECIALS):
        raise NotYet(f"The id {number:g} is {SPECIALS[int(number)]}, and no text leads to it: take a piece of a text.")
    text, piece = subwords.decode([int(number)]), subwords.tokens([int(number)])[0]
    if "\N{REPLACEMENT CHARACTER}" in text:
        raise NotYet(f"`entry`: {piece} is only part of a character, and that character may be a letter.")
    if any(character.isalpha() for character in text):
        raise NotYet(f"`entry`: {piece} has letters, so it is a word or may be part of one.")


def _word(answer: object, name: str) -> str:
    """A word in lower case, without the spaces around it."""
    if not isinstance(answer, str):
        raise NotYet(f"Expected {name} to be a word, such as 'cat'.")
    word = answer.strip()
    if not word.isalpha() or word != word.lower():
        raise NotYet(f"{name} should be one word in lower case, without anything but letters; got {word!r}.")
    return word


def _breaks_length(answer: object) -> None:
    if isinstance(answer, str) or not isinstance(answer, Sequence) or len(answer) != 2:
        raise NotYet("`words` should be two words, the shorter first, such as ('cat', 'hedge').")
    short, long = (_word(word, f"`words[{place}]`") for place, word in enumerate(answer))
    pieces = [len(shipped().subwords.encode(f" {word}")) for word in (short, long)]
    if len(short) >= len(long):
        raise NotYet(
            f"`words`: *{short}* has {len(short)} letters and *{long}* {len(long)}: put the shorter one first."
        )
    if pieces[0] <= pieces[1]:
        raise NotYet(f"`words`: *{short}* has {pieces[0]} pieces and *{long}* {pieces[1]}, as the rule says.")


_OTHER_PLURALS = re.compile(
    r"man|woman|person|child|foot|tooth|goose|mouse|louse|ox|sheep|fish|deer|life|wife|knife|leaf|half|wolf|shelf|thief"
    r"|potato|tomato|hero|.*(x|z|ch|sh|[^aeiou]y)"
)
"""Words whose plural has another form, or more than an s."""


def _breaks_plural(answer: object) -> None:
    singular = _word(answer, "`singular`")
    subwords = shipped().subwords
    if singular.endswith("s"):
        raise NotYet(f"*{singular}* ends in s: the check makes the plural, so give the singular.")
    if singular in ("cat", "dog"):
        raise NotYet(f"*{singular}s* stands in an output of the page: find a word of your own.")
    if _OTHER_PLURALS.fullmatch(singular):
        raise NotYet(f"The plural of *{singular}* does not only add s: take another word.")
    one, several = subwords.encode(f" {singular}"), subwords.encode(f" {singular}s")
    if several == one + subwords.encode("s"):
        parts = " ".join(subwords.tokens(several))
        raise NotYet(f"*{singular}s* is {parts}: the pieces of the singular and then s, as the rule says.")
