"""A small run reports everything; its parts are held against counting by hand and against what they must not do."""

import math

import pytest
import torch
from torch import nn

from attention_book.experiments.beyond import filling_gaps as experiment
from attention_book.little_language.agreement import FORMS, judged_sentences
from attention_book.little_language.gaps import gap_probabilities
from attention_book.little_language.language import sample

VOCABULARY = experiment.VOCABULARY
SMALL = {
    "sentences": 60, "gap_steps": 3, "gap_batch": 8, "examined": 6, "labelled": [8, 16], "label_steps": 3,
    "label_batch": 4, "label_tests": 20, "asked": ["I <mask> cats."],
}  # fmt: skip
TINY = experiment.CONFIGURATION | SMALL


@pytest.fixture(scope="module")
def run():
    return experiment.run_seed(3, TINY)


def test_a_run_reports_every_way_at_every_size(run):
    for way in ("tuned", "scratch", "probe", "counted"):
        assert len(run[way]) == 2 and all(0 <= share <= 1 for share in run[way])
    assert 0 < run["floor"] < run["floor_left"] < run["gap_loss"]
    assert run["gaps"] >= 6 and 0 <= run["without_labels"] <= 1
    words = sum(len(pair.source_words) for pair in sample(60, 30, clauses=1)) / 60
    assert run["tokens"] == round(3 * 8 * words)


@pytest.mark.slow
def test_about_one_in_four_examined_sentences_was_also_trained_on():
    c = experiment.CONFIGURATION
    stock = {pair.source for pair in sample(c["sentences"], 10, clauses=1)}
    examined = [pair.source for pair in sample(c["examined"], 11, clauses=1)]
    assert 0.2 < sum(sentence in stock for sentence in examined) / len(examined) < 0.3


@pytest.mark.slow
def test_a_run_repeats_itself_and_leaves_torch_as_it_was(run):
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert experiment.run_seed(3, TINY) == run and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


def test_the_guesses_stand_beside_the_exact_probabilities(run):
    (words,) = run["guesses"].values()
    exact = gap_probabilities("I <mask> cats.")
    assert {word: p for word, p, _ in words if p} == {word: round(p, 5) for word, p in list(exact.items())[:5]}
    assert all(0 < guess < 1 for _, _, guess in words) and sum(guess for *_, guess in words) < 1


def test_no_tested_sentence_was_seen_in_any_form():
    seen = {pair.source for pair in sample(300, 30, clauses=1)}
    task = experiment.LabelTask(3, seen, TINY | {"label_tests": 300})
    given = {pair.source for pair in sample(16, 32, clauses=1)}
    words = {tuple(VOCABULARY.tokens(VOCABULARY.encode(source))) for source in seen | given}
    assert len(task.tests) == 300 and not all(one.agrees for one in task.tests)
    for one in task.tests:  # with each form of its verb, and so with the right one
        before, after = one.words[: one.at], one.words[one.at + 1 :]
        assert not words & {(*before, form, *after) for form in FORMS[one.words[one.at]]}, one


def test_the_counter_does_not_see_the_order_of_words():
    counter = experiment.WordCounter()
    nn.init.normal_(counter.head.weight)
    ids = torch.tensor([[5, 6, 6, 7, 0], [6, 7, 5, 6, 0]])
    row = counter.head.weight[:, 5] + 2 * counter.head.weight[:, 6] + counter.head.weight[:, 7] + counter.head.bias
    torch.testing.assert_close(counter(ids), torch.stack([row, row]))


class Grammarian(nn.Module):
    """Gives the exact probabilities, as an encoder would if it had learned everything."""

    def forward(self, ids):
        logits = torch.full((*ids.shape, len(VOCABULARY)), -30.0)
        for n, row in enumerate(ids):
            words = VOCABULARY.tokens(row[row > 0].tolist())
            at = words.index(experiment.GAP)
            for word, p in gap_probabilities(" ".join(words)).items():
                logits[n, at, VOCABULARY.encode(word)[0]] = math.log(p)
        return logits


@pytest.mark.slow
def test_who_knows_the_grammar_judges_without_labels_and_has_the_least_loss():
    judged = judged_sentences(60, 4, VOCABULARY)
    assert experiment.judged_without_labels(Grammarian(), judged) == 1
    ids = experiment.padded([VOCABULARY.encode(pair.source) for pair in sample(12, 7, clauses=1)])
    short = ids[((ids > 0).sum(dim=1) < 10).nonzero()[:, 0]]  # one gap each
    found = experiment.examine_gaps(Grammarian(), short, 1)
    assert found["gap_loss"] == pytest.approx(found["floor"], abs=1e-4) and found["gaps"] == len(short)


def test_fine_tuning_leaves_the_encoder_and_a_probe_trains_the_last_layer_alone():
    model = experiment.encoder("tiny", 1)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    task = experiment.LabelTask(3, set(), TINY)
    for frozen in (False, True):
        task.tuned(model, 8, frozen)
        assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    labeller = experiment.SentenceLabeller(experiment.encoder("tiny", 1), frozen=True)
    experiment.learn_labels(labeller, *task.given, 1, 0.1, TINY)
    assert all(torch.equal(value, before[name]) for name, value in labeller.encoder.state_dict().items())
    assert labeller.head.weight.abs().sum() > 0
