"""*Counting and decoding*: its references against something independent, and what its model answers claim."""

import itertools
import math
import re

import numpy as np
import pytest
import sacrebleu
from scipy.optimize import minimize_scalar

from coursework.building.course import SETS
from coursework.building.master import read_master

NAME, VARIANT, SEED = "counting", "cohort-3", 21


def test_surprises_add_up_to_that_of_the_sentence(answers, rng):
    for _ in range(20):
        listed, sentence = answers.listed_translations(rng)
        assert math.isclose(sum(answers.surprises(listed, sentence)), -math.log2(listed[sentence]))


def test_discounted_shares_sum_to_1_over_the_words_and_one_that_is_new(answers, rng):
    heard = answers.heard_sentences(rng)
    words = {*itertools.chain(*heard), "</s>", "new"}
    for previous in ("<s>", "a", heard[0][-1], "never"):
        assert math.isclose(sum(answers.discounted(heard, word, previous) for word in words), 1)


def test_the_mixing_weight_ends_where_the_likelihood_is_largest(answers, rng):
    bigram, unigram, _ = answers.tokens_of_two_models(rng, 0)
    best = minimize_scalar(lambda w: -np.log(w * bigram + (1 - w) * unigram).sum(), bounds=(0, 1), method="bounded")
    assert math.isclose(answers.mixing_weight(bigram, unigram, 3000), best.x, abs_tol=1e-4)


def test_the_best_share_of_an_even_table_is_one_alignment_of_all(answers):
    t = {(w, g): 0.5 for w in "pqr" for g in "ab"}
    assert answers.best_share("ab", "pqr", t) == answers.best_share_by_listing("ab", "pqr", t) == 1 / 8


def test_a_round_near_the_diagonal_makes_the_pairs_more_likely(answers, numbers, rng):
    def likelihood(pairs, t):
        total = 0.0
        for x, y in pairs:
            for j, word in enumerate(y, 1):
                near = [math.exp(-numbers.sharpness * abs(i / len(x) - j / len(y))) for i in range(1, len(x) + 1)]
                total += math.log(sum(n * t[word, g] for n, g in zip(near, x, strict=True)) / sum(near))
        return total

    pairs, table = answers.pairs_and_table(rng)
    for _ in range(5):
        new = answers.near_diagonal(pairs, table)
        assert likelihood(pairs, new) > likelihood(pairs, table)
        table = new


def test_the_winners_are_those_of_a_fine_grid_of_weights(answers, rng):
    for make in (lambda: answers.drawn_candidates(rng, 10), lambda: answers.on_a_curve(rng)):
        (lines,) = make()
        found = answers.who_wins(lines)
        for weight in np.linspace(0, 20, 4001):
            best = max(range(len(lines)), key=lambda n: lines[n][0] + weight * lines[n][1])
            ours = [number for number, begin in found if begin <= weight][-1]
            scores = [lines[n][0] + weight * lines[n][1] for n in (best, ours)]
            assert math.isclose(*scores, abs_tol=1e-9)
    assert len(found) == 6


def test_a_beam_that_keeps_everything_finds_the_best_of_all_sentences(answers, numbers, rng):
    table = answers.drawn_bigrams(rng)

    def score(words):
        steps = itertools.pairwise(["<s>", *words, "</s>"])
        return sum(math.log(table[h][w]) for h, w in steps) + numbers.reward * len(words)

    every = (list(words) for n in range(5) for words in itertools.product("vwxyz", repeat=n))
    assert answers.rewarded_beam(table, 10_000, 4) == max(every, key=score)


def test_agreement_with_itself_is_whole_and_with_strangers_none(answers):
    assert answers.expected_agreement([(["a", "b"], 0.3), (["c"], 0.1)]) == pytest.approx([0.75, 0.25])


def test_weighted_bleu_has_the_shares_and_the_brevity_of_sacrebleu(answers, numbers, rng):
    for count, each in ((1, 1), (5, 1), (4, 3)):
        translations, references = answers.test_set(rng, count, each)
        lines = [[" ".join(others[k]) for others in references] for k in range(each)]
        theirs = sacrebleu.BLEU(tokenize="none", max_ngram_order=3, smooth_method="none")
        found = theirs.corpus_score([" ".join(words) for words in translations], lines)
        shares = (p / 100 for p in found.precisions)
        right = found.bp * math.prod(p**weight for p, weight in zip(shares, numbers.weights, strict=True))
        assert math.isclose(answers.weighted_bleu(translations, references), right, abs_tol=1e-9)


def test_the_model_answers_tell_the_truth(answers):
    master = read_master(SETS / "counting" / "master.md")
    (first,), (second,) = master.of("model", "wrong-sentences"), master.of("model", "blind-spot")
    weight, told = 1 / 2, re.findall(r"to ([0-9]+)/([0-9]+)", first.source)
    for above, below in told:
        weight = weight / (weight + (1 - weight) / 4)
        assert math.isclose(weight, int(above) / int(below))
    assert len(told) == 2
    source = " ".join(second.source.split())
    reference, good, bad, other = (text.split() for text in re.findall(r"\*(she [^*]*)\*", source))
    assert other == good
    one = [answers.weighted_bleu([words], [[reference]]) for words in (good, bad)]
    two = [answers.weighted_bleu([words], [[reference, other]]) for words in (good, bad)]
    assert 0 < one[0] == one[1] < 1 == two[0] and two[1] == one[1]
