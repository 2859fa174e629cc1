"""Splits: nothing held out is trained on, the order of the file is no matter, and every line goes where it should."""

import hashlib
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_book.data.normalisation import Pair, normalise, tidy
from attention_book.data.splits import split

law = settings(max_examples=100, deadline=None)
WORD = st.sampled_from(["Sun", "sun", "SUN!", "moon", "the moon", "themoon", "star", "¿star?", "sky", "rain", "sea"])
SENTENCE = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
LINES = st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=40)


def small_corpus(n=60, seed=3):
    """Lines of made-up words, with repeated sources, repeated targets, and other spellings of the same."""
    draw = random.Random(seed)
    lines = []
    for i in range(n):
        source, target = f"Word{i} is here.", f"Palabra{i} está aquí."
        lines.append((source, target))
        if draw.random() < 0.4:
            lines.append((source, f"Aquí está palabra{i}."))
        if draw.random() < 0.3:
            lines.append((f"word{i}  IS here!", draw.choice([target, f"¡Sí, palabra{i}!"])))
        if draw.random() < 0.2:
            lines.append((f"Here is word{i}.", f"¿PALABRA{i} está aquí?"))
    return lines


def sides(pairs: tuple[Pair, ...]):
    sources = {normalise(pair.source) for pair in pairs}
    return sources, {normalise(target) for pair in pairs for target in pair.references}


def assert_nothing_shared(parts):
    for one in range(3):
        for other in range(one):
            for mine, theirs in zip(sides(parts[one]), sides(parts[other]), strict=True):
                assert not mine & theirs


@law
@given(LINES, st.integers(0, 3), st.integers(0, 3))
def test_no_side_of_one_split_occurs_in_another(lines, n_validation, n_test):
    try:
        parts = split(lines, n_validation, n_test)
    except ValueError:
        return  # nothing left to train on: refused, as test_too_few_lines_are_refused shows
    assert_nothing_shared(parts)


@law
@given(LINES, st.randoms(use_true_random=False))
def test_the_order_and_repetition_of_lines_is_no_matter(lines, draw):
    def parts_or_refusal(these):
        try:
            return split(these, 2, 2)
        except ValueError as error:
            return str(error)

    shuffled = lines + lines[:3]
    draw.shuffle(shuffled)
    assert parts_or_refusal(shuffled) == parts_or_refusal(lines)


def test_a_small_corpus_gives_the_sentences_wanted_and_uses_every_line_once():
    lines = small_corpus()
    train, validation, test = parts = split(lines, 10, 10)
    assert_nothing_shared(parts)
    assert all(10 <= len(held_out) <= 12 for held_out in (validation, test))
    trained = [(pair.source, pair.target) for pair in train]
    held = {(pair.source, target) for pair in validation + test for target in pair.references}
    every = {(tidy(source), tidy(target)) for source, target in lines}
    assert len(set(trained)) == len(trained)
    assert set(trained) | held <= every
    held_sources = sides(validation)[0] | sides(test)[0]
    left = {normalise(source) for source, _ in every - set(trained) - held}
    assert left <= held_sources  # only other spellings of a held-out source are in no split


def test_held_out_sources_are_single_and_keep_their_other_translations():
    lines = small_corpus()
    _, validation, test = split(lines, 25, 25)
    for pair in validation + test:
        accepted = {tidy(target) for source, target in lines if tidy(source) == pair.source}
        assert set(pair.references) == accepted
        assert len(pair.references) == len(accepted)
        assert pair.references[0] == pair.target
        spellings = Counter(tidy(s) for s, _ in set(lines) if normalise(s) == normalise(pair.source))
        assert len(accepted) == max(spellings.values())
    for held_out in (validation, test):
        assert max(Counter(normalise(pair.source) for pair in held_out).values()) == 1
    assert any(len(pair.references) > 1 for pair in validation + test)


def test_the_most_translated_spelling_is_the_one_held_out():
    lines = [(f"Word {i}.", f"{i} {n}") for i in range(20) for n in ("uno", "dos")]
    lines += [(f"word {i}!", f"{i} tres") for i in range(20)]
    _, _, test = split(lines, 0, 19)
    assert {len(pair.references) for pair in test} == {2}
    assert all(pair.source.startswith("Word") for pair in test)


def test_training_pairs_know_the_other_translations_of_their_source():
    train, _, _ = split([("Sun.", "Sol."), ("Sun.", "El sol."), ("Sea.", "Mar.")], 0, 0)
    assert {(pair.source, pair.target, frozenset(pair.references)) for pair in train} == {
        ("Sun.", "Sol.", frozenset({"Sol.", "El sol."})),
        ("Sun.", "El sol.", frozenset({"Sol.", "El sol."})),
        ("Sea.", "Mar.", frozenset({"Mar."})),
    }
    assert all(pair.references[0] == pair.target for pair in train)


def test_the_other_translations_come_in_an_order_drawn_by_hash():
    targets = [f"{n} soles" for n in range(8)]
    train, _, _ = split([("Suns.", target) for target in targets], 0, 0)
    for pair in train:
        drawn = sorted(set(targets) - {pair.target}, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
        assert pair.references == (pair.target, *drawn)


def test_lines_joined_through_others_stay_together():
    # a–x, b–x and b–y: a and y share nothing, but whoever holds out a must hold out y
    chain = [("a", "x"), ("b", "x"), ("b", "y")]
    others = [(f"s{i}", f"t{i}") for i in range(30)]
    for n in range(1, 30):
        train, _, test = split(chain + others, 0, n)
        trained, tested = (sides(part)[0] & {"a", "b"} for part in (train, test))
        assert (trained, tested) in (({"a", "b"}, set()), (set(), {"a", "b"}))


def test_large_families_are_held_out_as_often_as_small_ones():
    # half of the sentences are in families of four: of the held-out sentences, about half must be too
    fours = [(f"four{i} {j}", f"cuatro{i}") for i in range(250) for j in range(4)]
    ones = [(f"one{i}", f"uno{i}") for i in range(1000)]
    _, _, test = split(fours + ones, 0, 400)
    share = sum(pair.source.startswith("four") for pair in test) / len(test)
    assert 0.4 < share < 0.6


def test_the_first_pairs_are_a_fair_sample():
    lines = [(f"{letter}{i}", f"{letter}{i} dos") for letter in "abcd" for i in range(500)]
    for part in split(lines, 400, 400):
        counts = Counter(pair.source[0] for pair in part[:200])
        assert all(25 < counts[letter] < 75 for letter in "abcd"), counts


def test_too_few_lines_are_refused():
    with pytest.raises(ValueError, match="2 different lines are too few to hold out 1 and 1"):
        split([("a", "x"), ("b", "y"), ("a", "x")], 1, 1)
