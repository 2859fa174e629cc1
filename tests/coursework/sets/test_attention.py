"""*Attention and its Jacobian*: its solutions against torch, SciPy and the package; what its model answers claim."""

import re
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from attention_book.analysis.score_variance import dot_product_variance
from attention_book.attention.dot_product import scaled_dot_product_attention
from attention_book.attention.probability import softmax_jacobian
from attention_book.attention.scores import additive_scores, attend
from coursework.building.markers import solved
from coursework.building.variants import draw, with_variant

NAME, VARIANT, SEED = "attention", "cohort-3", 33


def grown(loss, x):
    """What autograd says of a loss."""
    x = torch.tensor(x, requires_grad=True)
    loss(x).backward()
    return x.grad.numpy()


def test_no_pair_that_gradient_descent_finds_is_nearer_and_the_full_width_is_exact(answers, rng):
    w = rng.normal(size=(4, 5))
    w_q, w_k = answers.two_matrices(w, 2)
    best = np.linalg.norm(w_q @ w_k.T / np.sqrt(2) - w)
    pair = [torch.tensor(rng.normal(size=(n, 2)), requires_grad=True) for n in w.shape]
    steps = torch.optim.LBFGS(pair, max_iter=300, line_search_fn="strong_wolfe", tolerance_change=1e-14)

    def loss():
        steps.zero_grad()
        value = ((pair[0] @ pair[1].T - torch.tensor(w)) ** 2).sum()
        value.backward()
        return value

    steps.step(loss)
    assert best == pytest.approx(float(loss().detach().sqrt()), rel=1e-4)
    w_q, w_k = answers.two_matrices(w, 4)
    s, h = rng.normal(size=(3, 4)), rng.normal(size=(2, 5))
    assert np.allclose((s @ w_q) @ (h @ w_k).T / 2, s @ w @ h.T)


def test_counted_attention_is_the_packages_over_the_whole_list(answers, rng):
    q, k, v, counts = answers.entries_and_counts(rng)
    places = rng.permutation(np.repeat(np.arange(len(k)), counts))
    listed, _ = scaled_dot_product_attention(q, k[places], v[places])
    assert np.allclose(answers.counted_attention(q, k, v, counts), listed)


@pytest.mark.parametrize("lead", [1, 3, 2**60])
def test_a_move_is_that_of_exact_fractions(answers, lead):
    exps, values = [Fraction(lead), Fraction(1), Fraction(2)], [Fraction(3), Fraction(-1), Fraction(7)]

    def mean(kept):
        return sum(exps[j] * values[j] for j in kept) / sum(exps[j] for j in kept)

    wanted = [float(abs(mean({0, 1, 2} - {j}) - mean({0, 1, 2}))) for j in range(3)]
    scores = np.log(np.array([float(e) for e in exps]))
    assert np.allclose(answers.moves(scores, np.array([[float(v)] for v in values])), wanted, atol=1e-12)


def test_left_out_errors_are_those_of_an_attention_over_the_others(answers, numbers, rng):
    x, y, _ = answers.places_and_values(rng, 9, None)
    errors = []
    for i in range(9):
        others = np.arange(9) != i
        weights = softmax(-(abs(x[others] - x[i]) ** numbers.power) / 0.7)
        errors.append((weights @ y[others] - y[i]) ** 2)
    assert answers.left_out_errors(x, y, [0.7]) == pytest.approx([np.mean(errors)])


def test_the_temperature_gives_the_effective_number(answers, numbers, rng):
    for size in (1e-3, 1.0, 1e6):
        scores = size * rng.normal(size=12)
        assert 1 / (softmax(scores / answers.temperature_for(scores)) ** 2).sum() == pytest.approx(numbers.keys)


def test_quiet_weights_and_their_gradient_are_autograds(answers, numbers, rng):
    (scores,), g = answers.some_scores(rng), rng.normal(size=(3, 5))

    def weights(x):
        return x.exp() / (numbers.silence + x.exp().sum(dim=1, keepdim=True))

    assert np.allclose(answers.quiet_weights(scores), weights(torch.tensor(scores)))
    assert np.allclose(answers.quiet_gradient(scores, g), grown(lambda x: (weights(x) * torch.tensor(g)).sum(), scores))


def test_the_divisor_is_where_scipy_finds_the_largest_norm_of_the_packages_jacobian(answers, rng):
    for n in (2, 3, 12):
        (scores,) = answers.apart(rng, n, 4.0)
        found = minimize_scalar(
            lambda log_c, s=scores: -np.linalg.norm(softmax_jacobian(s, float(np.exp(log_c)))),
            bounds=(np.log(0.2), np.log(50)),
            method="bounded",
        )
        assert answers.most_open(scores) == pytest.approx(np.exp(found.x), rel=1e-3)


def test_the_states_gradient_is_autograds_of_the_packages_attention(answers, rng):
    s, h, w_q, w_k, v, g = answers.a_look(rng, 6, 3, 4, 5)
    rest = [torch.tensor(one) for one in (h, w_q, w_k, v)]

    def loss(state):
        context, _ = attend(additive_scores(state[None], *rest), rest[0])
        return context[0] @ torch.tensor(g)

    assert np.allclose(answers.state_gradient(s, h, w_q, w_k, v, g), grown(loss, s))


def test_the_gradient_of_three_roles_is_autograds_of_the_packages_attention(answers, rng):
    x, g = answers.a_sequence(rng, 6, 4)
    wanted = grown(lambda z: (scaled_dot_product_attention(z, z, z)[0] * torch.tensor(g)).sum(), x)
    assert np.allclose(answers.self_gradient(x, g), wanted)


def test_the_two_spreads_add_up_to_the_packages_variance_and_are_those_of_draws(answers, rng):
    mean_q, cov_q, mean_k, cov_k = answers.moments(rng, 3)
    within, between = answers.two_spreads(mean_q, cov_q, mean_k, cov_k)
    assert within + between == pytest.approx(dot_product_variance(mean_q, cov_q, mean_k, cov_k))
    queries, keys = (rng.multivariate_normal(m, c, size=3000) for m, c in ((mean_q, cov_q), (mean_k, cov_k)))
    scores = queries @ keys.T
    assert within == pytest.approx(scores.var(axis=1).mean(), rel=0.1)
    assert between == pytest.approx(scores.mean(axis=1).var(), rel=0.1)


def test_the_checks_accept_the_solutions_for_every_number_that_may_be_drawn(master):
    """A plausible mistake may have the right answer for some variant; then the check would reject what is right."""
    drawn = {seed: draw(master, str(seed)) for seed in range(60)}
    seen, seeds = set(), []
    for seed, values in drawn.items():
        if new := set(values.items()) - seen:
            seen |= new
            seeds.append(seed)
    assert len(seen) == 4 + 5 + 5
    for seed in seeds:
        names = {}
        for part in with_variant(master, str(seed)).parts:
            if part.role in ("code", "public", "question"):
                exec(solved(part.source) if part.role == "question" else part.source, names)


def test_the_model_answers_tell_the_truth(answers, master):
    (first,), (second,) = master.of("model", "weight-and-use"), master.of("model", "own-divisor")
    pairs = re.findall(r"\((.?\d), (.?\d)\)", first.source)
    values = np.array([[float(number.replace("−", "-")) for number in pair] for pair in pairs])
    assert values[:4].tolist() == [[0, 0], [2, 0], [-1, 2], [-1, -2]]
    moves = answers.moves(np.log([3.0, 1, 1, 1]), values[:4])
    told = re.search(r"returns 0, ([\d.]+), ([\d.]+) and ([\d.]+)", first.source).groups()
    assert moves.round(2).tolist() == [0, *(float(n) for n in told)]
    assert softmax(np.log([3, 1, 1, 1])).tolist() == pytest.approx([1 / 2, *[1 / 6] * 3])
    source = " ".join(second.source.split())
    rows = [[float(n) for n in row.split(", ")] for row in re.findall(r"\((0, 0, [\d.]+)\)", source)]
    told = [[float(n) for n in row] for row in re.findall(r"(\d\.\d+), (\d\.\d+), (\d\.\d+)", source)]
    wanted = [softmax(np.array(row) / 2) for row in rows] + [softmax(np.array(row) / np.std(row)) for row in rows]
    assert [row.round(3).tolist() for row in wanted] == [*told, told[2]]
