"""What *How many subwords?* says of lengths holds in the result on record, and would not in another one."""

from itertools import pairwise

import pytest

from attention_book.readers.translator.piece_lengths import CLASS_TOLD, SHOWN, PieceLengths


@pytest.fixture
def made_up():
    """Four vocabularies of which each halves the length of the one before."""
    classes = {"never": [0, 0], "1–5": [1, 5], "6–50": [6, 50], "more": [51, 100]}

    def entry(size, length):
        pieces = {"never": 4 * length, "1–5": 3 * length, "6–50": 2 * length, "more": length}
        return {"size": size, "source_pieces": 2 * length, "target_pieces": length, "pieces_per_word": pieces}

    found = {"classes": {"never": 1, "1–5": 2, "6–50": 3, "more": 4000}, "words": 7, "unseen": 0.0125}
    found["lengths"] = {str(size): entry(size, 8 / 2**n) for n, size in enumerate((260, 500, 2000, 8000))}
    setting = {"sizes": [8000, 260, 500, 2000], "classes": classes, "examined": 1234}
    return PieceLengths({"configuration": setting, "seeds": {"0": found}})


def test_made_up_lengths_are_read_by_hand(made_up):
    assert made_up.lines() == {
        "English": ([260, 500, 2000, 8000], [16.0, 8.0, 4.0, 2.0]),
        "Spanish": ([260, 500, 2000, 8000], [8.0, 4.0, 2.0, 1.0]),
    }
    assert made_up.lines_told().startswith("Pieces per sentence, mean of 1,234 test sentences;")
    assert "English: 16.0 with 260, 8.0 with 500" in made_up.lines_told()
    assert made_up.header() == ["seen in training", "different words", "500 pieces", "2,000 pieces", "8,000 pieces"]
    assert made_up.rows()[1] == ("1 to 5 times", "2", "12.0", "6.0", "3.0")
    assert made_up.rows()[3][1] == "4,000"
    numbers = made_up.numbers()
    assert numbers["shipped_pieces"] == 1.0
    assert (numbers["short_size"], numbers["short_pieces"], numbers["more_text"]) == (500, 4.0, 4.0)
    assert numbers["unseen"] == "1.2\xa0%" and (numbers["rare_pieces"], numbers["frequent_pieces"]) == (3.0, 1.0)


def test_more_pieces_make_shorter_sentences_and_less_and_less_so(runs):
    for _, values in runs.lines().values():
        assert all(after < before for before, after in pairwise(values))
    sizes, values = runs.lines()["Spanish"]
    first = values[sizes.index(500)] - values[sizes.index(1000)]
    last = values[sizes.index(8000)] - values[sizes.index(16000)]
    assert last < first / 2


def test_rare_words_are_cut_more_in_every_vocabulary_shown(runs):
    for size in SHOWN:
        pieces = [runs.lengths[size]["pieces_per_word"][name] for name in ("1–5", "6–50", "more")]
        assert pieces == sorted(pieces, reverse=True)
    assert list(runs.setting["classes"]) == list(CLASS_TOLD)


def test_some_words_of_the_test_sentences_were_never_seen(runs):
    assert 0 < runs.found["unseen"] < 0.05
    assert sum(runs.found["classes"].values()) > 1000


def test_the_shipped_vocabulary_reads_about_twice_the_text_of_the_shortest_shown(runs):
    assert 1.9 < runs.numbers()["more_text"] < 2.2
