"""*From the block to a trained model*: its references against torch and the package, and what its curves claim."""

import math
from collections import Counter

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attention_book.data.byte_pair_encoding import learn_merges, stages_of
from attention_book.examples import translator_in_one_file as one
from attention_book.little_language.language import log_prob, mean_entropy, pair_for
from attention_book.models.blocks import FeedForward
from attention_book.training.optimizers import AdamState, adam_step
from coursework.building.course import SETS
from coursework.building.master import read_master

pytestmark = pytest.mark.slow  # the set is built, and its cells train
NAME, VARIANT, SEED = "transformer", "cohort-5", 5


@pytest.fixture(scope="module")
def statements():
    return "\n".join(part.source for part in read_master(SETS / NAME / "master.md").parts if part.role == "statement")


def test_the_gate_costs_no_parameters_and_one_more_would(answers):
    for d_model, d_ff in ((64, 256), (512, 2048), (7, 5)):
        room = sum(p.numel() for p in FeedForward(d_model, d_ff).parameters())
        width = answers.inner_width(d_model, d_ff)
        assert 3 * d_model * width <= room < 3 * d_model * (width + 1)


def test_the_gradient_of_a_norm_is_torchs_layer_norms(answers, rng):
    x, gain, upstream = rng.normal(size=(5, 6)), rng.normal(size=6), rng.normal(size=(5, 6))
    norm = nn.LayerNorm(6, eps=1e-3).double()
    norm.weight.data = torch.from_numpy(gain.copy())
    leaf = torch.from_numpy(x).requires_grad_()
    norm(leaf).backward(torch.from_numpy(upstream))
    s = np.sqrt(x.var(axis=1) + 1e-3)
    found = answers.norm_backward((x - x.mean(axis=1, keepdims=True)) / s[:, None], s, gain, upstream)
    for ours, theirs in zip(found, (leaf.grad, norm.weight.grad, norm.bias.grad), strict=True):
        assert np.allclose(ours, theirs)
    assert np.allclose(found[0].sum(axis=1), 0)


def test_a_grown_model_goes_on_learning_and_all_of_its_new_block_moves(answers, rng):
    state = answers.drawn_state(rng, 2)
    model = answers.loaded(answers.grow(state, 1))
    ids = torch.from_numpy(rng.integers(0, 11, size=(4, 9)))
    assert torch.allclose(model(ids), answers.loaded(state)(ids))
    before = {name: p.detach().clone() for name, p in model.blocks[1].named_parameters()}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).backward()
        optimizer.step()
    still = [name for name, p in model.blocks[1].named_parameters() if torch.allclose(p, before[name], atol=1e-12)]
    assert still == ["self_attention.w_k.bias"]  # it adds one number to all scores of a query


def test_merges_undone_are_the_stages_in_which_the_packages_merges_were_made(answers):
    counts = {"cats": 3, "cat": 1, "hats": 2, "hat": 1, "eats": 1, "eat": 2}
    merges = learn_merges(counts, 4)
    pieces = [*"acehst", *("".join(pair) for pair in merges)]
    ids = [tuple(map(pieces.index, pair)) for pair in merges]
    for word in ("cats", "hats", "eat", "heat", "sets"):
        stages = [stages_of(word, merges[:kept])[-1] for kept in range(5)]
        cut = [[pieces.index(piece) for piece in stage] for stage in stages]
        assert [answers.with_fewer(cut[-1], ids, 6, kept) for kept in range(5)] == cut
        assert answers.lengths(cut[-1], ids, 6) == list(map(len, cut))


def test_what_rows_are_asked_is_what_the_file_would_ask_of_the_target(answers):
    pairs, _, _ = answers.liking(4)
    read, wanted = answers.asked_rows(pairs[:20])
    for (source, target), row, asked in zip(pairs[:20], read, wanted, strict=True):
        assert asked[asked != one.PAD].tolist() == [*target, one.END]
        begin = len(source)
        assert row[begin : begin + len(target) + 1].tolist() == [one.START, *target]


def test_the_smoothed_gradient_is_the_slope_of_the_smoothed_loss(answers, rng):
    scores, wanted = answers.drawn_scores(rng)
    _, count, gradient = answers.smoothed_loss(scores, wanted)
    assert count == (wanted != 0).sum()
    for place in ((0, 0, 3), (0, 0, 2), (1, 0, 4)):
        moved = [scores.copy(), scores.copy()]
        moved[0][place] += 1e-5
        moved[1][place] -= 1e-5
        up, down = (answers.smoothed_loss(m, wanted)[0] for m in moved)
        assert (up - down) / 2e-5 / count == pytest.approx(gradient[place], abs=1e-7)


def test_the_smoothed_loss_has_the_floor_of_its_target(answers, numbers):
    v, eps = 9, numbers.eps
    q = np.full(v - 2, eps / (v - 2))
    q[3] += 1 - eps
    scores = np.concatenate([[-np.inf, -np.inf], np.log(q)])[None, None]
    total, _, gradient = answers.smoothed_loss(scores, np.array([[5]]))
    assert total == pytest.approx(-(q * np.log(q)).sum()) and np.allclose(gradient, 0)


def test_an_update_of_a_gain_is_the_packages_adam_after_clipping(answers, numbers, rng):
    parameters, gradients, memory, _ = answers.drawn_update(rng, 4.0)
    state = {name: AdamState.start(torch.from_numpy(parameters[name])) for name in ("norm", "b_1")}
    expected = {name: torch.from_numpy(parameters[name]) for name in state}
    for _ in range(3):
        parameters, memory = answers.update(parameters, gradients, memory, 0.1)
        for name in state:
            g = torch.from_numpy(gradients[name]) / 4
            expected[name], state[name] = adam_step(expected[name], g, state[name], 0.1, (0.9, 0.98), 1e-9)
    for name in state:
        assert np.allclose(parameters[name], expected[name], atol=1e-6)


def test_what_is_written_is_what_stepwise_search_of_the_file_would_write(answers, rng):
    state, sources = answers.drawn_writer(rng, 5)
    assert answers.translations(state, sources) == answers.each_alone(state, sources)
    assert answers.translations(state, sources[::-1]) == answers.each_alone(state, sources)[::-1]


def test_sources_that_are_tried_are_not_learned_and_all_like_something(answers):
    pairs, new, words = answers.liking(7)
    assert not {tuple(source) for source, _ in pairs} & {tuple(source) for source, _ in new}
    assert len(new) == 120 and all({"like", "likes"} & set(words.decode(source).split()) for source, _ in pairs)


def without_mask(model, ids):
    """The scores of a model whose causal mask was forgotten."""
    x = model.embedding(ids) * math.sqrt(model.embedding.embedding_dim)
    x = x + one.positions(*x.shape[1:]).to(x)
    for block in model.blocks:
        x = block(x, torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool))
    return model.norm(x) @ model.embedding.weight.T


FAULTS = {"A": {"over": "all places"}, "B": {"scores_of": without_mask}, "C": {"few": 40}, "D": {}}


class TestFourCurves:
    """The table of the written question, from four programs with the faults that its model answer names."""

    @pytest.fixture(scope="class")
    @classmethod
    def measured(cls, answers):
        pairs, new, words = answers.liking(0)
        return {letter: cls.trained(answers, pairs, new, words, **fault) for letter, fault in FAULTS.items()}

    @staticmethod
    def trained(answers, pairs, new, words, over="asked", few=None, scores_of=None):
        pairs = pairs[:few]
        scores_of = scores_of or (lambda model, ids: model(ids))

        def loss_on(batch):
            read, wanted = map(torch.from_numpy, answers.asked_rows(batch))
            scores = scores_of(model, read).flatten(0, 1)
            total = F.cross_entropy(scores, wanted.flatten(), ignore_index=one.PAD, reduction="sum")
            return total / (wanted.numel() if over == "all places" else (wanted != one.PAD).sum())

        torch.manual_seed(0)
        model, order, losses, told = answers.OneRow(len(words.words)), [], [], []
        optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98))
        for step in range(251):
            if step in (0, 25, 100, 250):
                with torch.no_grad():
                    recent = losses[-10:] or [loss_on(pairs[:16]).item()]
                    told.append((sum(recent) / len(recent), loss_on(new).item()))
            if len(order) < 16:
                order = torch.randperm(len(pairs)).tolist()
            batch, order = [pairs[n] for n in order[:16]], order[16:]
            loss = loss_on(batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            x = (step + 1) / 250
            optimizer.param_groups[0]["lr"] = 1e-2 * max(0, min(x / 0.1, 1.0, (1 - x) / 0.5))
            optimizer.step()
            losses.append(loss.item())
            if step == 249:
                state = {name: value.clone() for name, value in model.state_dict().items()}
        written = answers.translations(state, [source for source, _ in new[:60]])
        right = [
            log_prob(words.decode(source), words.decode(ids), "es") > -math.inf
            for (source, _), ids in zip(new, written, strict=False)
        ]
        return told, sum(right) / 60

    def test_each_number_of_the_table_comes_out_again(self, measured, statements):
        begun = tuple(f"| {letter}" for letter in "ABCD|")
        rows = [line.split("|")[1:-1] for line in statements.splitlines() if line.startswith(begun)][:8]
        for n, letter in enumerate("ABCD"):
            told, right = measured[letter]
            for side, row in enumerate(rows[2 * n : 2 * n + 2]):
                for stop, cell in enumerate(row[2:6]):
                    assert told[stop][side] == pytest.approx(float(cell), rel=0.1, abs=0.1), (letter, side, stop)
            assert right == pytest.approx(float(rows[2 * n + 1][6].strip(" %")) / 100, abs=0.1)

    def test_the_yardsticks_are_those_of_the_pairs(self, answers, statements):
        pairs, new, words = answers.liking(0)
        counts = Counter(word for _, target in pairs for word in [*target, one.END])
        asked = [word for _, target in new for word in [*target, one.END]]
        known = -np.mean([math.log(max(counts[word], 1) / counts.total()) for word in asked])
        entropy = mean_entropy([pair_for(words.decode(source), "es") for source, _ in new]).per_token
        assert f"has {len(words.words)} ids" in statements and f"= {math.log(len(words.words)):.2f}" in statements
        assert f"loss of {known:.2f} per token" in statements
        assert f"entropy, {entropy:.2f} per token" in statements
        assert len(pairs) == 901 and len(new) == 120


def test_the_solution_learns_enough_from_any_pairs_and_translates_some_of_them(answers):
    for seed in (11, 12):
        pairs, size = answers.renumbered(np.random.default_rng(seed))
        found = answers.learned_and_held_out(pairs, size)
        state = {name: value for name, value in found.items() if name not in ("rows", "first")}
        assert answers.loss_of_new_pairs(state, found["rows"], found["first"]) < 1.4
        untrained = answers.OneRow(size).state_dict()
        assert 5.5 < answers.loss_of_new_pairs(untrained, found["rows"], found["first"]) < 7.5
