"""The first classifier: its words, their endings as numbers, the loop that trains it, and the experiment about it."""

import pytest
import torch
from page_cells import run_until

from attention_book.examples.language_classifier import (
    LANGUAGES,
    RUNNING,
    accuracy,
    fit,
    labelled_words,
    letters_of,
    listed,
    one_hot_endings,
    running_words_judged,
    split,
    swing,
    swing_told,
)
from attention_book.experiments.before import word_endings as experiment
from attention_book.studies.before.loss_curves import LossCurves


def test_words_have_one_language_and_those_of_the_running_sentence_are_unseen():
    words, labels = labelled_words()
    assert len(words) == len(labels) == len(set(words)) > 300
    assert labels.unique().tolist() == list(range(len(LANGUAGES)))
    language = dict(zip(words, labels.tolist(), strict=True))
    assert language["cat"] == 0 and language["gato"] == 1
    assert not {word for side in RUNNING for word in side} & set(words)
    assert all(word == word.lower() and word.isalpha() for word in words)
    assert "banana" not in words  # both languages have it


def test_an_ending_is_two_ones_at_most():
    x = one_hot_endings(["cab", "a", "bx", "", "BA"], "abc")
    last, before = x[:, :3], x[:, 3:]
    assert last.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert before.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert letters_of(["cab", "bad"]) == "abcd"


def test_a_split_uses_each_word_once_and_follows_its_seed():
    train, held_out = split(40, seed=1)
    assert sorted([*train.tolist(), *held_out.tolist()]) == list(range(40)) and len(held_out) == 10
    assert torch.equal(split(40, seed=1)[0], train)
    assert not torch.equal(split(40, seed=2)[0], train)


def test_fit_starts_at_chance_and_learns_what_can_be_told_apart():
    x = one_hot_endings(["ab", "bb", "ba", "aa"], "ab")
    y = torch.tensor([1, 1, 0, 0])  # the last letter decides
    w, b, losses = fit(x, y, steps=100, rate=0.1)
    assert losses[0] == pytest.approx(torch.log(torch.tensor(2.0)).item())
    assert losses[-1] < 0.1 * losses[0]
    assert accuracy(w, b, x, y) == 1.0
    assert accuracy(w, b, x, 1 - y) == 0.0


def test_the_experiment_would_notice_labels_that_carry_nothing():
    metrics = experiment.run_seed(1, {"steps": 60, "rate": 0.1})
    assert metrics["true_held_out"] > metrics["most_common"] + 0.05
    assert metrics["shuffled_held_out"] < metrics["true_held_out"] - 0.05
    assert metrics["tokens"] > 0


def test_a_swing_goes_from_the_lowest_loss_to_the_highest_after_it():
    assert swing([3.0, 1.0, 2.5, 2.0]) == (2, 3)  # not back to the first, which is the highest of all
    assert swing([3.0, 2.0, 1.0]) == (3, 3)
    assert swing_told([1.0, 0.5], [3.0, 1.0, 2.5, 2.0]) == (
        "With cleared gradients the loss ends at 0.50. With summed gradients it reaches 1.00 at step 2, rises to 2.50 "
        "at step 3 and ends at 2.00."
    )


@pytest.fixture(scope="module")
def trained():
    """What the page has defined after its training loop."""
    return run_until("before/tensors-and-training", "held_out_losses.append")


def test_the_loop_of_the_page_is_the_one_of_the_experiment(trained):
    x, y, train = trained["x"], trained["y"], trained["train"]
    same = fit(x[train], y[train], steps=100, rate=0.05)[2]
    torch.testing.assert_close(torch.tensor(same), torch.tensor(trained["train_losses"]))


def test_on_held_out_words_the_loss_of_the_page_stops_falling(trained):
    losses = LossCurves(trained["train_losses"], trained["held_out_losses"])
    assert losses.best_step < 100 - 9  # with steps counted from 1
    assert losses.train[-1] < losses.train[losses.best_step - 1]


def test_the_last_letters_pull_as_the_page_says(trained):
    words, met = trained["words"], {}
    for i in trained["train"]:
        met.setdefault(words[i][-1], []).append(words[i])
    places = [trained["alphabet"].index(letter) for letter in met]
    w = trained["w"].detach()
    pull = dict(zip(met, (w[places, 1] - w[places, 0]).tolist(), strict=True))
    assert min(pull, key=pull.get) == "u" and met["u"] == ["you"]
    assert pull["i"] > 0.8 * max(pull.values()) and sorted(met["i"]) == ["mi", "ti"]
    assert max(met, key=lambda letter: len(met[letter])) == min(pull, key=lambda letter: abs(pull[letter])) == "s"
    never = [place for place in range(len(trained["alphabet"])) if place not in places]
    assert never and (w[never] == 0).all()


def test_words_are_judged_by_the_half_and_listed_as_in_a_sentence():
    right, wrong = running_words_judged(lambda word: 0.9 if word.endswith("s") else 0.2)
    assert right == ["i", "like", "los", "gatos"] and wrong == ["cats", "me", "gustan"]
    assert listed(wrong) == "*cats*, *me* and *gustan*"
    assert listed(["los"]) == "*los*" and listed([]) == "none"
