"""*Evaluation and reading attention*: its solutions against sacreBLEU, SciPy, torch and the package; what it claims."""

import math
import re
from itertools import combinations, product

import numpy as np
import pytest
import torch
from sacrebleu.metrics import CHRF
from scipy.spatial.distance import hamming
from scipy.special import softmax
from scipy.stats import binomtest, hypergeom, permutation_test

from attention_book.little_language.language import sample
from attention_book.studies.reading.same_output import changed_row, hidden_changes
from attention_book.translation.evaluation import alignment_error_rate
from coursework.building.markers import solved
from coursework.building.variants import draw, with_variant

NAME, VARIANT, SEED = "evaluation", "cohort-3", 64


def test_what_was_nearly_seen_has_a_hamming_distance_of_one_word(answers, numbers, rng):
    train, test = ([" ".join("abc"[n] for n in rng.integers(0, 3, size=5)) for _ in range(40)] for _ in range(2))
    found = answers.seen(train, test)
    assert set(found) == {0, 1, 2}
    for sentence, answer in zip(test, found, strict=True):
        least = min(hamming(*[[ord(word) for word in text.split()] for text in (sentence, other)]) for other in train)
        assert answer == {0: 2, 1: 1}.get(round(5 * least), 0)
    letters = "abcdefgh"[: numbers.least - 1]
    assert answers.seen([" ".join(letters)], [" ".join(letters[:-1] + "z")]) == [0]


def as_text(counts):
    """A translation and a reference, one character per word, that have these counts of words: found, made, wanted."""
    found, made, wanted = (int(count) for count in counts)
    return "a" * found + "b" * (made - found), "a" * found + "c" * (wanted - found)


def of_sacrebleu(counts, numbers):
    texts, references = zip(*map(as_text, counts), strict=True)
    return CHRF(char_order=1, beta=math.sqrt(numbers.recall)).corpus_score(list(texts), [list(references)]).score


def test_the_score_and_its_intervals_are_those_of_sacrebleu(answers, numbers, rng):
    mine, other, samples = answers.counted_sentences(rng, 12, 85)
    assert answers.score(*mine.sum(axis=0)) == pytest.approx(of_sacrebleu(mine, numbers))
    leads = [of_sacrebleu(mine[row], numbers) - of_sacrebleu(other[row], numbers) for row in samples]
    lead, low, high = answers.lead_and_interval(mine, other, samples)
    assert lead == pytest.approx(of_sacrebleu(mine, numbers) - of_sacrebleu(other, numbers))
    ends = [sign * np.quantile(sign * np.array(leads), 0.025, method="inverted_cdf") for sign in (1, -1)]
    assert [low, high] == pytest.approx(ends)


def test_a_word_is_worth_writing_as_long_as_its_chance_is_above_a_share_of_the_score(answers, numbers, rng):
    chances = np.sort(rng.random(300) ** 3)[::-1]
    count, reached = answers.worth_writing(chances, 60)
    border = reached / 100 / (1 + numbers.recall)
    assert chances[count] < border < chances[count - 1] < 0.5


def test_a_p_of_coins_is_scipys_exact_permutation_test_and_for_leads_of_one_its_binomial_test(answers, rng):
    leads = [int(lead) for lead in rng.integers(-6, 7, size=10)]
    theirs = permutation_test((np.array(leads),), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert answers.coin_p(leads) == pytest.approx(theirs.pvalue)
    leads = [1] * 30 + [-1] * 12 + [0] * 5
    assert answers.coin_p(leads) == pytest.approx(binomtest(30, 42).pvalue)


def test_with_every_throw_the_adjusted_p_of_one_head_is_that_of_coins_and_of_many_no_smaller(answers, rng):
    costs = rng.integers(-3, 5, size=(9, 4)).astype(float)
    flips = np.array(list(product((1, -1), repeat=9)))
    alone = [answers.adjusted_p(costs[:, [head]], flips)[0] for head in range(4)]
    assert alone == pytest.approx([(1 + 512 * answers.coin_p([int(c) for c in column])) / 513 for column in costs.T])
    together = answers.adjusted_p(costs, flips)
    assert (together >= np.array(alone) - 1e-12).all() and (together <= np.minimum(1, 4 * np.array(alone))).all()


def test_if_no_head_does_anything_few_studies_call_one_real(answers, rng):
    found = 0
    for _ in range(300):
        costs = rng.normal(size=(20, 10)) + rng.normal(size=(20, 1))
        found += answers.adjusted_p(costs, rng.choice([-1, 1], size=(99, 20))).min() <= 0.05
    assert binomtest(int(found), 300, 0.05).pvalue > 0.01


def test_the_best_of_some_runs_has_each_rank_as_often_as_the_hypergeometric_law_says(answers, rng):
    validation, test, k = answers.runs_made(rng, 60, 7)
    ranked = np.argsort(validation)
    up_to = np.array([hypergeom.pmf(7, 60, n, 7) for n in range(61)])  # all seven are among the n lowest
    shares = np.diff(up_to)
    wanted = shares @ np.array(validation)[ranked], shares @ np.array(test)[ranked]
    assert answers.promised_and_kept(validation, test, k) == pytest.approx(wanted)


def test_error_rates_of_head_and_rival_are_the_packages_in_the_little_language(answers, rng):
    pairs, sentences = list(sample(24, seed=3)), []
    for pair in pairs:
        n, m = len(pair.source_words), len(pair.target_words)
        weights = rng.dirichlet(np.ones(n + 1), size=(2, m + 1))
        for i, j in pair.alignment:
            weights[0, j, i] += rng.random() < 0.6
            weights[1, j, i] += rng.random() < 0.4
        sentences.append((weights, set(pair.alignment), set(pair.alignment)))
    head, rate, offset, dull = answers.head_and_rival(sentences[:12], sentences[12:])
    links, places = [], []
    for (weights, *_), pair in zip(sentences[12:], pairs[12:], strict=True):
        n, m = len(pair.source_words), len(pair.target_words)
        links.append({(int(row.argmax()), j) for j, row in enumerate(weights[0, :m]) if row.argmax() < n})
        places.append({(i, j) for i in range(n) for j in range(m) if i - j == offset})
    gold = [set(pair.alignment) for pair in pairs[12:]]
    assert head == 0 and abs(offset) <= 1
    assert rate == pytest.approx(alignment_error_rate(links, gold).error_rate)
    assert dull == pytest.approx(alignment_error_rate(places, gold).error_rate)


def test_fair_shares_divide_evenly_what_each_group_of_heads_adds_and_sum_to_the_whole(answers, rng):
    """Harsanyi (1963): a share is the sum over all groups of what a group adds as a group, divided by its size."""
    loss = rng.normal(size=(2,) * 5)
    groups = [group for size in range(1, 6) for group in combinations(range(5), size)]

    def at(group):
        return loss[tuple(int(head in group) for head in range(5))]

    added = {}
    for group in groups:
        parts = sum(added[part] for size in range(1, len(group)) for part in combinations(group, size))
        added[group] = at(group) - at(()) - parts
    wanted = [sum(value / len(group) for group, value in added.items() if head in group) for head in range(5)]
    assert answers.fair_shares(loss) == pytest.approx(wanted)
    assert answers.fair_shares(loss).sum() == pytest.approx(at(range(5)) - at(()))


def test_parts_are_autograds_gradient_times_input_and_sum_to_the_score(answers, rng):
    x, weights, matrices, u = answers.frozen_model(rng, 3)
    inputs = torch.tensor(x, requires_grad=True)
    rows = inputs
    for a, w in zip(torch.tensor(weights), torch.tensor(matrices), strict=True):
        rows = rows + a @ rows @ w
    value = rows[-1] @ torch.tensor(u)
    value.backward()
    found = answers.parts(x, weights, matrices, u)
    assert found == pytest.approx((inputs.grad * inputs).sum(dim=1).detach().numpy())
    assert found.sum() == pytest.approx(float(value.detach()))


def test_a_rollout_is_a_product_of_matrices_and_its_row_sums_to_one(answers, rng):
    weights = answers.frozen_model(rng, 4, 6)[1]
    layers = [torch.tensor((np.eye(6) + a) / 2) for a in weights[::-1]]
    assert answers.rolled(weights) == pytest.approx(torch.linalg.multi_dot(layers)[-1].numpy())
    assert answers.rolled(weights).sum() == pytest.approx(1)


def test_rows_that_the_package_finds_lie_between_the_lowest_and_the_highest_and_reach_an_end(answers, rng):
    weights, values = answers.a_row(rng, 5, 3)
    lowest, highest = answers.lowest_and_highest(weights, values)
    row, output = changed_row(torch.tensor(weights), torch.tensor(values), 1.0)
    assert output.numpy() == pytest.approx(weights @ values)
    assert ((lowest - 1e-9 <= row.numpy()) & (row.numpy() <= highest + 1e-9)).all()
    assert (abs(row.numpy() - lowest) < 1e-9).any() and lowest.min() == 0
    assert len(hidden_changes(torch.tensor(values))) == 1


def test_the_checks_accept_the_solutions_for_every_number_that_may_be_drawn(master):
    """A plausible mistake may have the right answer for some variant; then the check would reject what is right."""
    seen, seeds = set(), []
    for seed in range(60):
        if new := set(draw(master, str(seed)).items()) - seen:
            seen |= new
            seeds.append(seed)
    assert len({value for name, value in seen if name == "recall"}) == 4
    assert len({value for name, value in seen if name == "least"}) == 3
    for seed in seeds:
        names = {}
        for part in with_variant(master, str(seed)).parts:
            if part.role in ("code", "public", "question"):
                exec(solved(part.source) if part.role == "question" else part.source, names)


def test_the_examples_of_the_statements_are_right(answers):
    three = {(2, 0), (1, 1), (0, 2)}
    weights = np.ones((1, 4, 4))
    assert answers.head_and_rival([(weights, three, three)], [(weights, three, three)])[2:] == (-2, 0.5)
    assert answers.coin_p([3, 1, -1]) == 6 / 8
    assert answers.promised_and_kept([50, 60, 70], [55, 52, 58], 2) == pytest.approx((200 / 3, 56))
    assert answers.seen(["No"], ["¡NO!", "…"]) == [2, 0]


def test_the_model_answers_tell_the_truth(answers, master):
    (told,), (review,) = master.of("model", "largest-weight"), master.of("model", "one-paragraph")

    def share(alike, unturned):
        rng, hits = np.random.default_rng(0), 0
        for _ in range(2000):
            x, u = rng.normal(size=(6, 4)), rng.normal(size=4)
            weights, matrices = softmax(3 * rng.normal(size=(2, 6, 6)), axis=-1), rng.normal(size=(2, 4, 4))
            x, matrices = np.tile(x[0], (6, 1)) if alike else x, np.stack([np.eye(4)] * 2) if unturned else matrices
            found = abs(answers.parts(x, weights, matrices, u))
            hits += int(found.argmax() == answers.rolled(weights).argmax())
        return hits / 2000

    numbers = [float(number) for number in re.findall(r"0\.\d+", told.source)]
    measured = [share(False, False), share(True, False), share(False, True)]
    assert [numbers[0], numbers[3], numbers[4]] == pytest.approx(measured, abs=0.02)
    assert numbers[1:3] == [pytest.approx(1.96 * math.sqrt(0.384 * 0.616 / 2000), abs=0.005), round(1 / 6, 2)]
    assert share(True, True) == 1
    functions = re.findall(r"`(\w+)`", review.source)
    assert functions and all(hasattr(answers, name) for name in functions)
