"""What *Tensors, gradients, training* and *How to read and run this book* say of the classifier holds on record."""

import pytest

from attention_book.examples.language_classifier import labelled_words, split
from attention_book.readers.before.word_endings import ACCURACIES, WordEndings


def test_made_up_splits_are_read_by_hand():
    seeds = {"1": dict.fromkeys(ACCURACIES, 0.75), "2": dict.fromkeys(ACCURACIES, 0.85)}
    found = WordEndings({"seeds": seeds})
    numbers = found.numbers()
    assert numbers.pop("most_common_train").endswith("%")
    assert numbers == {"n_seeds": 2} | dict.fromkeys(ACCURACIES, "80\xa0±\xa07\xa0%")  # √(2 · 0.05²)
    assert found.range_numbers() == pytest.approx({"n_seeds": 2, "lowest": 75, "mean": 80, "highest": 85})


def test_the_endings_tell_the_language(runs):
    true, constant = runs.measured("true_held_out"), runs.measured("most_common")
    assert true.value - constant.value > true.spread + constant.spread


def test_on_shuffled_labels_it_is_no_better_than_the_constant_answer_on_other_words(runs):
    shuffled, constant = runs.measured("shuffled_held_out"), runs.measured("most_common")
    assert shuffled.value <= constant.value + constant.spread


def test_the_constant_answer_on_training_words_is_counted_in_the_split_of_the_seed(runs):
    words, labels = labelled_words()
    constant = runs.constant_on_training_words()
    learned, kept = split(len(words), seed=1)
    right = labels[learned].bincount().max().item() / len(learned)
    assert len(constant) == runs.n_seeds and constant[0] == pytest.approx(right)
    commoner = labels.bincount().argmax()
    assert runs.of("most_common")[0] == pytest.approx((labels[kept] == commoner).double().mean().item())


def test_part_of_a_shuffled_list_is_learned_by_heart(runs):
    assert (runs.of("shuffled_train") > runs.constant_on_training_words()).mean() > 0.5
    assert runs.measured("shuffled_train").value > runs.measured("shuffled_held_out").value
