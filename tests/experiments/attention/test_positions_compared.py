"""The comparison of positions: what is trained on, what is examined, and how it is scored."""

import itertools
import math

import pytest
import torch
from global_state import unchanged_state
from oracles import seeded

from attention_book.experiments import little_language_study
from attention_book.experiments.attention import positions_compared as experiment
from attention_book.little_language.language import log_prob, pair_for, sample, translations, word_vocabulary
from attention_book.models.transformer import Transformer, TransformerConfig

SHORT = experiment.CONFIGURATION | {
    "drawn": 60,
    "examined": 3,
    "groups": {"4–8": [4, 8, 1], "17–20": [17, 20, 2]},
    "training": experiment.CONFIGURATION["training"] | {"tokens": 900},
    "max_len": 40,
}
WORDS = word_vocabulary("es")


class Oracle:
    """A model that knows one translation of each source, spells it out, and gives it all probability but a little."""

    def __init__(self, answers):
        self.config = TransformerConfig.tiny(len(WORDS), max_len=128)
        self.answers = {tuple(WORDS.encode(source)): WORDS.encode(target) for source, target in answers.items()}

    def _log_probs(self, src, place):
        answer = [*self.answers[tuple(token for token in src if token > 2)], WORDS.eos_id]
        scores = torch.full((self.config.vocab_size,), math.log(0.1 / (self.config.vocab_size - 1)))
        scores[answer[min(place, len(answer) - 1)]] = math.log(0.9)
        return scores

    def __call__(self, src, tgt):
        rows = src.tolist()
        return torch.stack([torch.stack([self._log_probs(r, n) for n in range(tgt.shape[1])]) for r in rows])

    def encode(self, src):
        return src

    def start(self, memory):
        return State(memory, 0)

    def step(self, tokens, state):
        scores = [self._log_probs(row, state.place) for row in state.src.tolist()]
        return torch.stack(scores), State(state.src, state.place + 1)


class State:
    def __init__(self, src, place):
        self.src, self.place = src, place

    def reorder(self, rows):
        return State(self.src[rows], self.place)


def test_training_pairs_are_short_and_examined_ones_new_and_in_their_group():
    pairs = little_language_study.training_pairs(0, SHORT)
    assert len(pairs) > 30
    assert max(map(little_language_study.length, pairs)) <= SHORT["longest"]
    assert {len(pair.derivation.clauses) for pair in pairs} == {1, 2}
    groups = little_language_study.examined_pairs(0, pairs, SHORT)
    seen = {pair.source for pair in pairs}
    for name, (shortest, longest, clauses) in SHORT["groups"].items():
        assert len(groups[name]) == 3
        for pair in groups[name]:
            assert shortest <= max(len(WORDS.encode(pair.source)), len(WORDS.encode(pair.target))) + 1 <= longest
            assert len(pair.derivation.clauses) == clauses
            assert pair.source not in seen


def test_the_groups_meet_the_training_length_and_leave_no_gap():
    ends = list(experiment.CONFIGURATION["groups"].values())
    assert all(before[1] + 1 == after[0] for before, after in itertools.pairwise(ends))
    assert experiment.CONFIGURATION["longest"] in [end for _, end, _ in ends]


def test_each_token_costs_what_the_model_gave_it():
    pairs = sample(6, 3, clauses={1: 0.5, 2: 0.5})
    oracle = Oracle({pair.source: pair.target for pair in pairs})
    losses = little_language_study.token_losses(oracle, pairs, WORDS)
    assert (~losses.isnan()).sum() == sum(pair.target_tokens for pair in pairs)
    assert sorted((~losses.isnan()).sum(1).tolist()) == sorted(pair.target_tokens for pair in pairs)
    assert losses.nanmean().item() == pytest.approx(-math.log(0.9), rel=1e-4)


def test_any_translation_counts_and_nothing_else_does():
    pairs = [pair for pair in sample(60, 5, clauses=1) if len(translations(pair.source)) > 1][:4]
    others = {}
    for pair in pairs:
        others[pair.source] = next(text for text, _ in translations(pair.source) if text != pair.target)
        assert log_prob(pair.source, others[pair.source], "es") > -math.inf
    assert little_language_study.share_right(Oracle(others), pairs, WORDS) == 1
    swapped = dict(zip(others, [*list(others.values())[1:], next(iter(others.values()))], strict=True))
    assert little_language_study.share_right(Oracle(swapped), pairs, WORDS) == 0
    half = others | dict(list(swapped.items())[:2])
    assert little_language_study.share_right(Oracle(half), pairs, WORDS) == 0.5


def test_a_sentence_that_does_not_end_is_not_right():
    pair = pair_for("I like cats.")
    oracle = Oracle({pair.source: pair.target})
    oracle.answers = {source: [*answer, *[answer[-1]] * 60] for source, answer in oracle.answers.items()}
    assert little_language_study.share_right(oracle, [pair], WORDS) == 0


def test_the_kinds_start_from_the_same_parameters(monkeypatch):
    started = []
    monkeypatch.setattr(
        experiment.Trainer, "run", lambda self, progress: started.append(self.model.src_embedding.weight.clone())
    )
    for kind in SHORT["kinds"]:
        experiment.train(kind, little_language_study.training_pairs(0, SHORT), 4, SHORT)
    assert len(started) == 4
    assert all(torch.equal(started[0], other) for other in started[1:])


def test_vectors_beyond_the_training_length_are_measured_and_then_set_to_zero():
    config = TransformerConfig.tiny(len(WORDS), positions="learned", max_len=40)
    model = seeded(lambda: Transformer(config)).eval()
    with torch.no_grad():
        model.positions[: SHORT["longest"]] *= 3
    groups = little_language_study.examined_pairs(0, [], SHORT)
    inside = little_language_study.token_losses(model, groups["4–8"], WORDS).nanmean().item()
    found = experiment._untrained(model, groups, SHORT)
    assert found["norm_inside"] / found["norm_beyond"] == pytest.approx(3, rel=0.1)
    assert found["cut_loss"][0] == pytest.approx(inside, abs=1e-5)
    assert (model.positions[SHORT["longest"] :] == 0).all()


@pytest.mark.slow
def test_a_run_reports_every_kind_and_repeats_itself():
    with unchanged_state():
        first, second = (experiment.run_seed(0, SHORT | {"kinds": ["none", "learned"]}) for _ in range(2))
    assert first == second
    for kind in ("none", "learned"):
        assert len(first[f"{kind}_loss"]) == len(first[f"{kind}_right"]) == len(first["floor"]) == 2
        assert all(loss > floor for loss, floor in zip(first[f"{kind}_loss"], first["floor"], strict=True))
        assert len(first[f"{kind}_at_position"]) >= 10
    assert {"norm_inside", "norm_beyond", "cut_loss"} <= first.keys()
    assert first["tokens"] >= 2 * SHORT["training"]["tokens"]
