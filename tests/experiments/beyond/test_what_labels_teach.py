"""A small run reports everything; what the layer is given is held against counting by hand."""

import math

import pytest
import torch
from torch import nn

from attention_book.experiments.beyond import filling_gaps
from attention_book.experiments.beyond import what_labels_teach as experiment
from attention_book.little_language.agreement import FORMS, Judged, judged_sentences

VOCABULARY = experiment.VOCABULARY
SMALL = {
    "sentences": 60, "gap_steps": 3, "gap_batch": 8, "labelled": [8, 16], "label_steps": 3, "long_steps": 5,
    "label_batch": 4, "label_tests": 20,
}  # fmt: skip
TINY = experiment.CONFIGURATION | SMALL


def test_a_run_reports_every_hint_at_every_size_and_the_probe_is_that_of_filling_gaps():
    run = experiment.run_seed(3, TINY)
    for hint in experiment.HINTS:
        assert len(run[hint]) == 2 and all(0 <= share <= 1 for share in run[hint])
    assert all(0 <= run[name] <= 1 for name in ("mean_long", "verb_long", "without_labels"))
    given = judged_sentences(16, 32, VOCABULARY)
    assert run["agreeing"] == [sum(one.agrees for one in given[:size]) for size in (8, 16)]
    assert list(run["example"]) == ["write", "writes"] and 0 < sum(run["example"].values()) < 1
    model, _, seen = filling_gaps.gap_filler(3, TINY)
    task = filling_gaps.LabelTask(3, seen, TINY)
    assert run["mean"] == [task.tuned(model, size, frozen=True) for size in (8, 16)]
    assert run["without_labels"] == pytest.approx(filling_gaps.judged_without_labels(model, task.tests))


class Fixed(nn.Module):
    """Gives each word of the vocabulary one score, wherever it is asked."""

    def __init__(self, scores):
        super().__init__()
        self.row = torch.full((len(VOCABULARY),), -9.0)
        for word, score in scores.items():
            self.row[VOCABULARY.encode(word)[0]] = score

    def forward(self, ids):
        return self.row.expand(*ids.shape, -1)


def test_the_form_that_stands_there_is_compared_with_its_best_rival_alone():
    row = Fixed({"is": 3.0, "are": 1.0, "am": 0.5, "cats": 8.0}).row
    judged = [Judged(("she", form), form == "is", 1) for form in ("is", "are", "am")]
    found = experiment.compared(row.expand(3, -1), judged)
    torch.testing.assert_close(found, torch.tensor([[2.0], [-2.0], [-2.5]]))
    assert set(FORMS["is"]) == {"am", "are", "is"}


def test_the_lowest_number_is_that_of_the_least_likely_word_and_padding_has_none():
    model = Fixed({"cats": 5.0, "like": 4.0, "dogs": 1.0})
    ids = filling_gaps.padded(
        [[VOCABULARY.encode(word)[0] for word in text.split()] for text in ("cats like dogs", "cats")]
    )
    torch.testing.assert_close(experiment.lowest(model, ids), torch.tensor([[1.0 - 5.0], [5.0 - 4.0]]))


class Seen(nn.Module):
    """Notes what it is shown, and finds every word equally likely."""

    def __init__(self):
        super().__init__()
        self.shown = []

    def forward(self, ids):
        self.shown.append(VOCABULARY.tokens(ids[0].tolist()))
        return torch.zeros(*ids.shape, len(VOCABULARY))


def test_each_word_in_turn_is_hidden_and_no_other():
    model = Seen()
    experiment.lowest(model, filling_gaps.padded([[VOCABULARY.encode(word)[0] for word in ("cats", "like", "dogs")]]))
    gap = filling_gaps.GAP
    assert model.shown == [[gap, "like", "dogs"], ["cats", gap, "dogs"], ["cats", "like", gap]]


def test_the_hints_are_read_at_the_verb_without_padding():
    model = filling_gaps.encoder("tiny", 1).eval()
    judged = judged_sentences(6, 4, VOCABULARY)
    found = experiment.hinted(model, judged)
    for n, one in enumerate(judged):
        ids = torch.tensor([[VOCABULARY.encode(word)[0] for word in one.words]])
        with torch.inference_mode():
            states = model.states(ids)[0]
        torch.testing.assert_close(found["mean"][n], states.mean(0))
        torch.testing.assert_close(found["verb"][n], states[one.at])
        forms = {form: VOCABULARY.encode(form)[0] for form in FORMS[one.words[one.at]]}
        for name, hide in (("shown", False), ("hidden", True)):
            if hide:
                ids[0, one.at] = filling_gaps.GAP_ID
            with torch.inference_mode():
                log_probs = model(ids)[0, one.at].log_softmax(-1)
            best = max(log_probs[id_].item() for form, id_ in forms.items() if form != one.words[one.at])
            assert found[name][n].item() == pytest.approx(log_probs[forms[one.words[one.at]]].item() - best, abs=1e-4)


def test_a_layer_learns_a_threshold_from_a_few_numbers():
    features = torch.tensor([[4.0], [-5.0], [3.0], [-2.0]])
    layer = experiment.label_layer(features, torch.tensor([1, 0, 1, 0]), 1, 50, TINY)
    assert layer(torch.tensor([[6.0], [-6.0]])).argmax(-1).tolist() == [1, 0]
    assert math.isfinite(layer.weight.sum().item()) and layer.weight.shape == (2, 1)
