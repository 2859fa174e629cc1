"""*Recurrent models*: its solutions against torch and the package; what its statements and model answers claim."""

import math
import re

import numpy as np
import pytest
import torch

from attention_book.models.cells import GRU, RNN, gru_step
from coursework.building.markers import solved
from coursework.building.variants import draw, with_variant

NAME, VARIANT, SEED = "recurrent", "cohort-3", 22


def flat(part):
    return " ".join(part.source.split())


def test_what_is_left_of_nudges_is_autograds(answers, rng):
    x = torch.tensor(rng.normal(size=7), requires_grad=True)
    w = torch.tensor(1.2, dtype=torch.float64, requires_grad=True)
    h = torch.zeros((), dtype=torch.float64)
    for number in x:
        h = torch.tanh(w * h + 0.8 * number - 0.1)
    h.backward()
    by_word, by_w = answers.left_of_nudges(x.detach().numpy(), 1.2, 0.8, -0.1)
    assert np.allclose(by_word, x.grad.numpy(), atol=1e-12) and by_w == pytest.approx(w.grad.item())


@pytest.mark.parametrize("m", [2, 3, 5, 11])
def test_the_counter_counts_in_torchs_cell(answers, m, rng):
    w_x, w_h, b, v, c = (torch.tensor(part) for part in answers.counter(m))
    cell = torch.nn.RNN(1, len(b), batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for name, value in (("weight_ih", w_x.T), ("weight_hh", w_h.T), ("bias_ih", b), ("bias_hh", 0 * b)):
            getattr(cell, f"{name}_l0").copy_(value)
        bits = torch.tensor(rng.integers(0, 2, size=(4, 500, 1)).astype(float))
        said = cell(bits)[0] @ v + c
    assert torch.allclose(said, bits.cumsum(dim=1)[..., 0] % m, atol=1e-6)


def test_a_cell_that_counts_in_another_way_is_accepted_and_one_that_does_not_is_not(answers):
    expected = answers.counts_to(2, 300)
    w_x, w_h, b, v, c = answers.counter(2)
    turned = [w_x[:, ::-1].tolist(), w_h[::-1, ::-1], b[::-1], v[::-1, None], np.array([c])]
    assert answers.counts_well(expected, turned, 0) is None
    negative = (-w_x, w_h, -b, -v, c)
    assert answers.counts_well(expected, negative, 0) is None
    for wrong in ((w_x, w_h, b, v, 0.2), (w_x, w_h.T, b, v, c), (w_x, w_h, b, v), 3, (w_x, w_h, b, v[:1], c)):
        assert answers.counts_well(expected, wrong, 0)
    assert "after" in answers.counts_well(expected, (w_x, np.nan * w_h, b, v, c), 0)


def test_the_unit_of_the_statement_keeps_the_bit_and_loses_the_nudge(answers, master):
    """And the numbers of the model answer."""

    def states(bits):
        h = [0.0]
        for bit in bits:
            h.append(math.tanh(4 * h[-1] + 8 * bit - 2))
        return h[1:]

    rng = np.random.default_rng(0)
    for _ in range(50):
        bits = [0] * int(rng.integers(5)) + [1, *rng.integers(0, 2, size=60)]
        first = bits.index(1)
        assert all(h < -0.96 for h in states(bits)[:first]) and states(bits)[first] > 0.95
        assert min(states(bits)[first:]) > 0.94
        assert abs(np.array(states(bits)) / 2 + 0.5 - (np.cumsum(bits) > 0)).max() < 0.05
    kept, never = states([1, *[0] * 19])[-1], states([0] * 20)[-1]
    by_word, _ = answers.left_of_nudges(np.array([1.0, *[0] * 19]), 4.0, 8.0, -2.0)
    (model,) = master.of("model", "held")
    told = re.search(
        r"the state is ([\d.]+), its derivative by the first bit is (\S+), and .* state is −([\d.]+)\.", flat(model)
    )
    assert told.groups() == (f"{kept:.3f}", f"{by_word[0]:.1e}", f"{-never:.3f}")
    assert f"multiplied by about {4 * (1 - kept**2):.2f} at each step" in flat(model)
    assert kept - never > 1.9


def test_no_power_of_a_matrix_is_larger_and_the_statements_numbers_hold(answers, master, rng):
    w = np.array([[0.8, 1], [0, 0.8]])
    norms = [np.linalg.norm(np.linalg.matrix_power(w, k)) for k in range(1, 300)]
    assert answers.worst_stretch(w) == (pytest.approx(max(norms)), 4)
    (statement,) = master.of("statement", "stretch")
    assert f"= {norms[3]:.3f}." in flat(statement)
    upper = ", ".join(f"{k * 0.8 ** (k - 1):.4g}" for k in range(1, 7))
    assert f"is {upper} for k" in flat(statement)
    w = rng.normal(size=(5, 5))
    w *= 0.97 / abs(np.linalg.eigvals(w)).max()
    norms = [np.linalg.norm(np.linalg.matrix_power(w, k)) for k in range(1, 2000)]
    assert answers.worst_stretch(w) == (pytest.approx(max(norms)), int(np.argmax(norms)) + 1)


def test_the_shares_mix_the_proposals_of_the_packages_gru_into_its_last_state(answers, rng):
    d, d_h, n = 3, 4, 6
    x, first = torch.tensor(rng.normal(size=(n, d))), torch.tensor(rng.normal(size=d_h))
    w_ih, w_hh = (torch.tensor(rng.normal(size=(3 * d_h, width))) for width in (d, d_h))
    b_ih, b_hh = torch.tensor(rng.normal(size=(2, 3 * d_h)))
    h, gates, proposals = first, [], []
    for word in x:
        of_x, of_h = w_ih @ word + b_ih, w_hh @ h + b_hh
        r, z = torch.sigmoid(of_x + of_h)[: 2 * d_h].chunk(2)
        gates.append(z)
        proposals.append(torch.tanh(of_x[2 * d_h :] + r * of_h[2 * d_h :]))
        h = gru_step(word, h, w_ih, w_hh, b_ih, b_hh)
    found = answers.shares(torch.stack(gates).numpy())
    assert np.allclose(found.sum(axis=0), 1)
    assert np.allclose((found * torch.stack([first, *proposals]).numpy()).sum(axis=0), h.numpy())


def test_torch_and_the_package_compute_the_other_librarys_states(answers, rng):
    kernel, recurrent, bias = answers.foreign_parameters(rng, 4, 3)
    x = rng.normal(size=(7, 4))
    wanted = answers.foreign_states(x, kernel, recurrent, bias)
    for layer in (torch.nn.GRU(4, 3, batch_first=True), GRU(4, 3)):
        layer = layer.double()
        with torch.no_grad():
            for parameter, value in zip(layer.parameters(), answers.to_torch(kernel, recurrent, bias), strict=True):
                parameter.copy_(torch.tensor(value.copy()))
            assert np.allclose(layer(torch.tensor(x)[None])[0][0].numpy(), wanted)


def test_biases_may_be_divided_otherwise_where_only_their_sum_counts(answers, numbers, rng):
    parameters = answers.foreign_parameters(rng, 4, 3)
    expected = answers.states_and_parameters(*parameters)
    w_ih, w_hh, b_ih, b_hh = answers.to_torch(*parameters)
    moved = np.append(rng.normal(size=6), [0.0] * 3)
    assert answers.same_states(expected, [w_ih, w_hh, b_ih + moved, b_hh - moved], 1e-6) is None
    assert answers.same_states(expected, [w_ih, w_hh, b_ih + moved[::-1], b_hh - moved[::-1]], 1e-6)


@pytest.mark.parametrize("every", [1, 2, 3, 5, 7, 30])
def test_the_cut_gradient_is_autograds_with_detached_states(answers, rng, every):
    x, y, w_x, w_h, b, first, _ = (torch.tensor(part) for part in answers.a_chain(rng, 7, 2, 3, 0))
    w_h.requires_grad_(True)
    h, loss = first, 0
    for t, word in enumerate(x):
        if t and t % every == 0:
            h = h.detach()
        h = torch.tanh(word @ w_x + h @ w_h + b)
        loss = loss + ((h - y[t]) ** 2).sum() / 2
    loss.backward()
    plain = [part.detach().numpy() for part in (x, y, w_x, w_h, b, first)]
    assert np.allclose(answers.cut_gradient(*plain, every), w_h.grad.numpy(), atol=1e-12)


def test_the_room_is_that_of_the_best_of_all_codes(answers):
    """Every way to give each source a message and each message a text, for a handful of sources."""
    from itertools import product

    sources = [(0.3, "a"), (0.25, "b"), (0.2, "a"), (0.15, "c"), (0.1, "d")]
    for bits in (0, 1, 2):
        best = 0
        for texts in product("abcd", repeat=2**bits):
            best = max(best, sum(p for p, right in sources if right in texts))
        share, enough = answers.room(sources, bits)
        assert share == pytest.approx(best) and enough == 2


def test_bits_per_character_are_torchs_cross_entropy(answers, numbers, rng):
    logits, targets, characters = answers.a_batch(rng)
    loss = torch.nn.functional.cross_entropy(
        torch.tensor(logits).flatten(0, 1), torch.tensor(targets).flatten(), ignore_index=numbers.pad, reduction="sum"
    )
    spelt = sum(int(characters[token]) for token in targets.ravel() if token != numbers.pad)
    assert answers.bits_per_character(logits, targets, characters) == pytest.approx(float(loss) / math.log(2) / spelt)


def test_error_rates_are_those_of_draws(answers, rng):
    p, q, length = answers.two_tables(rng, 6, 8)
    n = 20_000

    def drawn(table):
        texts = np.zeros((n, length + 1), dtype=int)
        for t in range(length):
            texts[:, t + 1] = (rng.random((n, 1)) > table[texts[:, t]].cumsum(axis=1)).sum(axis=1)
        return texts

    forced, own, faultless = answers.error_rates(p, q, length)
    truth, written = drawn(p), drawn(q)
    after_truth = [q[truth[:, t]][p[truth[:, t]] == 0].sum() / n for t in range(length)]
    slips = p[written[:, :-1], written[:, 1:]] == 0
    assert forced == pytest.approx(after_truth, abs=0.02)
    assert own == pytest.approx(slips.mean(axis=0), abs=0.02)
    assert faultless == pytest.approx((~slips.any(axis=1)).mean(), abs=0.02)


def test_states_of_a_row_are_the_packages_for_each_sentence_alone(answers, numbers, rng):
    x, sentence, forwards, backwards = answers.laid_out(rng, 2, True)
    layer = RNN(3, 2, bidirectional=True).double()
    with torch.no_grad():
        for backward, (w_x, w_h, b) in enumerate((forwards, backwards)):
            for parameter, value in zip(layer.weights(0, bool(backward)), (w_x.T, w_h.T, b, 0 * b), strict=True):
                parameter.copy_(torch.tensor(value))
    found = answers.both_ways(x, sentence, forwards, backwards)
    assert not found[sentence == numbers.none].any()
    for row, number in {(i, number) for i in range(2) for number in sentence[i].tolist() if number != numbers.none}:
        places = sentence[row] == number
        alone, _ = layer(torch.tensor(x[row, places])[None])
        assert np.allclose(found[row, places], alone[0].detach().numpy())


def test_the_log_is_what_its_model_answer_says(master):
    (statement,), (model,) = master.of("statement", "log"), master.of("model", "log")
    rows = [[float(n.replace(",", "").replace("–", "nan")) for n in row.split("|")[1:-1]]
            for row in statement.source.splitlines() if re.match(r"\| \d", row)]  # fmt: skip
    steps, training, validation, norm, right = np.array(rows).T
    assert f"e^{training[0]:g} is {math.exp(training[0]):.0f}" in flat(model) and training[0] == validation[0]
    jump = int(np.nanargmax(norm))
    assert (
        steps[jump] == 6000 and validation[jump] > validation[jump - 1] and validation[jump + 1] < validation[jump - 1]
    )
    assert np.delete(norm, [0, jump]).max() < 3
    assert steps[validation.argmin()] == 12_000 and steps[right.argmax()] == 14_000
    share = right.max() / 100
    assert f"standard error of such a share is {100 * math.sqrt(share * (1 - share) / 200):.1f} points" in flat(model)
    assert (right[7] - right[6]) / 100 * 200 == 2 and all(one % 0.5 == 0 for one in right)


OTHER_FORMS = """
import torch


def left_of_nudges(x, w, u, b):
    words = torch.tensor(np.asarray(x), requires_grad=True)
    weight = torch.tensor(float(w), dtype=torch.float64, requires_grad=True)
    h = torch.zeros((), dtype=torch.float64)
    for word in words:
        h = torch.tanh(weight * h + u * word + b)
    return [one.numpy() for one in torch.autograd.grad(h, [words, weight])]


def counter(m):
    # in another order, with a unit more that is always on and says nothing
    on = [80] * m + [0]
    worth = [(1 - m) / 2] + [1 / 2] * (m - 1) + [0]
    bias = [0.5 - m] + [0.5 - j for j in range(1, m)] + [1]
    return [on], [[one * unit for unit in on] for one in worth], [80 * one for one in bias], worth, 0


def worst_stretch(w):
    norms, power = [], np.array(w)
    while not norms or norms[-1] >= 1:
        norms.append(math.sqrt(sum(float(one) ** 2 for row in power for one in row)))
        power = w @ power
    return [np.float64(max(norms)), np.int64(1 + norms.index(max(norms)))]


def shares(z):
    rows, after = [], [1.0] * len(z[0])
    for gates in z.tolist()[::-1]:
        rows.append([(1 - gate) * one for gate, one in zip(gates, after)])
        after = [gate * one for gate, one in zip(gates, after)]
    return [after] + rows[::-1]


def to_torch(kernel, recurrent, bias):
    order, d_h = ORDER, kernel.shape[1] // 3
    at = [list(range(order.index(gate) * d_h, (order.index(gate) + 1) * d_h)) for gate in "rzn"]
    columns = at[0] + at[1] + at[2]
    sign = np.array([1] * d_h + [-1] * d_h + [1] * d_h)[:, None]
    b = sign[:, 0] * bias[:, columns]
    only_n = np.array([0] * (2 * d_h) + [1] * d_h)
    return (sign * kernel.T[columns], (sign * recurrent.T[columns]).tolist(),
            b[0] + b[1] * (1 - only_n), b[1] * only_n)


def cut_gradient(x, y, w_x, w_h, b, first, every):
    weight = torch.tensor(w_h, requires_grad=True)
    h, loss = torch.tensor(first), 0
    for t in range(len(x)):
        h = h.detach() if t % every == 0 else h
        h = torch.tanh(torch.tensor(x[t] @ w_x + b) + h @ weight)
        loss = loss + 0.5 * ((h - torch.tensor(y[t])) ** 2).sum()
    loss.backward()
    return weight.grad.numpy()


def room(sources, bits):
    from collections import Counter
    from fractions import Fraction

    masses = Counter()
    for p, text in sources:
        if p:
            masses[text] += Fraction(p)
    enough = 0
    while 2**enough < len(masses):
        enough += 1
    return [sum(mass for _, mass in masses.most_common(min(2**bits, len(masses)))), enough]


def bits_per_character(logits, targets, characters):
    real = torch.tensor(targets) != PAD
    log_p = torch.tensor(logits).log_softmax(-1).gather(-1, torch.tensor(targets)[..., None])[..., 0]
    characters = torch.tensor(characters)[torch.tensor(targets)]
    return (-log_p[real].sum() / math.log(2) / characters[real].sum()).item()


def error_rates(p, q, length):
    truth, model, clean = ({0: 1.0} for _ in range(3))
    forced, own = np.zeros(length), []
    for t in range(length):
        forced[t] = sum(mass * q[a][p[a] == 0].sum() for a, mass in truth.items())
        own.append(sum(mass * q[a][p[a] == 0].sum() for a, mass in model.items()))
        words = range(len(p))
        truth = {b: sum(mass * p[a, b] for a, mass in truth.items()) for b in words}
        model = {b: sum(mass * q[a, b] for a, mass in model.items()) for b in words}
        clean = {b: sum(mass * q[a, b] for a, mass in clean.items() if p[a, b]) for b in words}
    return forced, own, sum(clean.values())


def both_ways(x, sentence, forwards, backwards):
    def one_way(x, sentence, w_x, w_h, b):
        h, states, before = np.zeros((len(x), len(b))), [], np.full(len(x), NONE)
        for t in range(x.shape[1]):
            h = np.where((sentence[:, t] == before)[:, None], h, 0)
            h = np.where((sentence[:, t] != NONE)[:, None], np.tanh(x[:, t] @ w_x + h @ w_h + b), 0)
            before = sentence[:, t]
            states.append(h)
        return np.stack(states, 1)

    back = one_way(x[:, ::-1], sentence[:, ::-1], *backwards)[:, ::-1]
    return np.concatenate([one_way(x, sentence, *forwards), back], -1).tolist()
"""


def test_right_answers_in_other_forms_pass_the_checks_and_agree_with_the_hidden_references(answers, master, numbers):
    """Torch inside, lists for arrays, loops for matrices, fractions for floats, other numbers that do the same."""
    other = f"ORDER, PAD, NONE = {numbers.gates!r}, {numbers.pad!r}, {numbers.none!r}\n{OTHER_FORMS}"
    names = {}
    for part in with_variant(master, VARIANT).parts:
        if part.role in ("code", "public"):
            exec(part.source if part.role == "code" or part.question is None else f"{other}\n{part.source}", names)
    exec(other, names)
    rng = np.random.default_rng(5)
    for _ in range(5):
        given = answers.two_tables(rng, 4, 3)
        assert np.allclose(np.hstack(names["error_rates"](*given)), np.hstack(answers.by_listing_texts(*given)))
        given = answers.laid_out(rng, 3, True)
        assert np.allclose(names["both_ways"](*given), answers.each_alone(*given))
        given = answers.with_what_never_comes(rng)
        assert np.allclose([float(one) for one in names["room"](*given)], answers.by_trying_all(*given))
        given = answers.a_chain(rng, 7, 2, 3, 3)
        assert np.allclose(names["cut_gradient"](*given), answers.piece_by_piece(*given))
    assert answers.counts_well(answers.counts_to(5, 500), names["counter"](5), 0) is None
    given = answers.foreign_parameters(rng, 5, 3)
    answer = [np.asarray(part) for part in names["to_torch"](*given)]
    assert answers.same_states(answers.states_and_parameters(*given), answer, 1e-6) is None


def test_the_checks_refuse_what_the_grader_cannot_read(master):
    """Torch does not start behind the walls, and an array of one number is no number there."""
    names = {}
    for part in with_variant(master, VARIANT).parts:
        if part.role in ("code", "public", "question"):
            exec(solved(part.source) if part.role == "question" else part.source, names)
    assert "torch" not in names  # or an answer would find it in the notebook, and miss it in the grader

    def turned_into(change, name):
        right = names[name]
        return lambda *given: change(right(*given))

    def last_as_array(answer):
        return (*answer[:-1], np.array([float(answer[-1])]))

    refused = {
        "check_to_torch": turned_into(lambda parts: [torch.tensor(np.array(part)) for part in parts], "to_torch"),
        "check_shares": turned_into(torch.tensor, "shares"),
        "check_bits_per_character": turned_into(torch.tensor, "bits_per_character"),
        "check_left_of_nudges": turned_into(last_as_array, "left_of_nudges"),
        "check_error_rates": turned_into(last_as_array, "error_rates"),
    }
    for check, answer in refused.items():
        report = names[check](answer)
        assert not report.passed and re.search("got a(n array| tensor)", report.message), check


@pytest.mark.slow
def test_the_checks_accept_the_solutions_for_every_number_that_may_be_drawn(master):
    """A plausible mistake may have the right answer for some variant; then the check would reject what is right."""
    drawn = {seed: draw(master, str(seed)) for seed in range(60)}
    seen, seeds = set(), []
    for seed, values in drawn.items():
        if new := set(values.items()) - seen:
            seen |= new
            seeds.append(seed)
    assert len(seen) == 5 + 5 + 5 + 5
    for seed in seeds:
        names = {}
        for part in with_variant(master, str(seed)).parts:
            if part.role in ("code", "public", "question"):
                exec(solved(part.source) if part.role == "question" else part.source, names)
