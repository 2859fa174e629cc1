"""The exact probabilities in gaps are those of listing every sentence with its probability."""

import itertools
import math

import numpy as np
import pytest

from attention_book.little_language.clauses import GRAMMAR
from attention_book.little_language.gaps import GAP, Gaps, gap_probabilities, gap_vocabulary
from attention_book.little_language.grammar import place
from attention_book.little_language.language import sample
from attention_book.little_language.lexicon import Entry
from attention_book.little_language.sentences import QUESTIONS

VOCABULARY = gap_vocabulary()


def probability(node, grammar, category):
    """The product of the shares of a derivation's rules."""
    options = grammar.categories[category]
    share = next(w for w, rule in options if rule is node.rule) / sum(w for w, _ in options)
    if isinstance(node.rule, Entry):
        return share
    below = zip(node.children, node.rule.roles.values(), strict=True)
    return share * math.prod(probability(child, grammar, symbol) for child, symbol in below)


@pytest.fixture(scope="module")
def small():
    """A grammar of one word per class and few rules, and every one of its sentences with its probability."""
    grammar = GRAMMAR.cut_down(1)
    for mood in ("Statement", "Question"):
        grammar.categories[mood] = grammar.categories[mood][::9]
    listed = {}
    for mood, mark, share in (("Statement", ".", 1 - QUESTIONS), ("Question", "?", QUESTIONS)):
        for node in itertools.islice(grammar.derivations(mood), 40_000):
            words = (*place(node).words, mark)
            assert words not in listed
            listed[words] = share * probability(node, grammar, mood)
    return grammar, listed


def test_the_listed_sentences_are_all(small):
    assert math.fsum(small[1].values()) == pytest.approx(1) and len(small[1]) > 100


@pytest.mark.slow
def test_the_sums_are_those_of_listing_every_sentence(small):
    grammar, listed = small
    generator = np.random.default_rng(0)
    sentences = list(listed)
    for _ in range(60):
        words = list(sentences[generator.integers(len(sentences))])
        places = generator.choice(len(words), size=generator.integers(1, len(words) + 1), replace=False)
        seen = [GAP if n in places else word for n, word in enumerate(words)]
        fitting = {
            s: p for s, p in listed.items()
            if len(s) == len(seen) and all(w in (GAP, t) for w, t in zip(seen, s, strict=True))
        }  # fmt: skip
        assert Gaps(seen, grammar=grammar).total() == pytest.approx(math.fsum(fitting.values()))
        asked = int(places[0])
        row = Gaps(seen, asked, grammar).total()
        for word in {s[asked] for s in fitting}:
            wanted = math.fsum(p for s, p in fitting.items() if s[asked] == word)
            assert row[VOCABULARY.encode(word)[0]] == pytest.approx(wanted)
        assert row.sum() == pytest.approx(math.fsum(fitting.values()))


def test_a_whole_sentence_has_the_probability_of_its_derivation():
    for pair in sample(40, 3, clauses=1):
        node, mood = pair.derivation.clauses[0], pair.derivation.mood
        share = QUESTIONS if mood == "Question" else 1 - QUESTIONS
        words = VOCABULARY.tokens(VOCABULARY.encode(pair.source))
        assert Gaps(words).total() == pytest.approx(share * probability(node, GRAMMAR, mood))


@pytest.mark.slow
def test_the_probabilities_agree_with_counting():
    counts = {}
    for pair in sample(10_000, 5, clauses=1):
        words = VOCABULARY.tokens(VOCABULARY.encode(pair.source))
        if len(words) == 4 and words[1] == "like" and words[3] == ".":
            counts[words[0]] = counts.get(words[0], 0) + 1
    exact, total = gap_probabilities("<mask> like <mask>."), sum(counts.values())
    assert total > 100 and counts.keys() <= exact.keys()
    for word, p in exact.items():
        assert abs(counts.get(word, 0) - total * p) < 5 * math.sqrt(total * p * (1 - p))


def test_words_that_do_not_agree_are_impossible():
    assert set(gap_probabilities("The girl <mask> cats.")) >= {"likes", "sees"}
    assert "like" not in gap_probabilities("The girl <mask> cats.")
    assert gap_probabilities("We buy <mask> old book.").keys() == {"an", "the"}
    assert gap_probabilities("We buy a <mask> book.").keys().isdisjoint({"old", "interesting"})
    assert sum(gap_probabilities("<mask> <mask> cats.", gap=1).values()) == pytest.approx(1)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ValueError, match="there is no gap 1"):
        gap_probabilities("<mask> like cats.", gap=1)
    with pytest.raises(ValueError, match="fits"):
        gap_probabilities("Cats like <mask>.")
    with pytest.raises(ValueError, match="ask for a position that holds"):
        Gaps(["I", "like", GAP, "."], asked=0)
    for asked in (-2, 4):
        with pytest.raises(ValueError, match=f"no position {asked} in a sentence of 4 words"):
            Gaps(["I", "like", GAP, "."], asked)
    with pytest.raises(ValueError, match="no words"):
        Gaps([])
