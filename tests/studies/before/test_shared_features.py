import pytest

from attention_book.studies.before.shared_features import SharedFeatures, measure


@pytest.fixture(scope="module")
def found():
    return measure()


def test_made_up_samples_are_read_by_hand():
    new = {
        "2-gram, counted": [2.0, 3.0],
        "last two words, 2 epochs": [1.5, 1.5],
        "with the ending, 2 epochs": [1.0, 1.5],
        "with the ending, 5 epochs": [4.0, 5.0],
    }
    found = SharedFeatures(new, {"with the ending, 5 epochs": [0.5, 1.0]})
    rows = found.rows()
    assert rows[0] == ("2-gram, counted", "2.500\xa0±\xa00.707")
    assert rows[2] == ("with the ending, 2 epochs", "1.250\xa0±\xa00.354")
    # The bigram is behind by 1 and 1.5; √(2 · (1/4)²) = 0.354. The ending gains 0.5 and 0.
    leads = {"lead_told": "1.250\xa0±\xa00.354", "ending_told": "0.250\xa0±\xa00.354"}
    assert found.numbers() == {"n_samples": 2, **leads, "train_5": 0.75, "test_5": 4.5}


@pytest.mark.slow
@pytest.mark.parametrize("other", ["2-gram, counted", "last two words, 2 epochs"])
def test_after_two_epochs_the_ending_is_ahead_in_every_sample(found, other):
    assert all(a < b for a, b in zip(found.new["with the ending, 2 epochs"], found.new[other], strict=True))


@pytest.mark.slow
def test_after_five_epochs_it_loses_to_every_other_model_in_every_sample(found):
    last = found.new["with the ending, 5 epochs"]
    for other in found.new.keys() - {"with the ending, 5 epochs"}:
        assert all(a < b for a, b in zip(found.new[other], last, strict=True)), other
