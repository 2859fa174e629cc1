"""What *Letters and marks* says of real sentences holds in the result; how it is read, on one made up by hand."""

import pytest

from attention_book.readers.verdict import english_hindi_pieces as reader
from attention_book.readers.verdict.english_hindi_pieces import ASKED, HEADER, LABELS, USUAL, WHOLE, HindiPieces


@pytest.fixture
def made_up():
    lengths = {USUAL: (90, 18.0), WHOLE: (90, 9.0), ASKED: (3000, 8.0)}
    cuts = {name: {"pieces": pieces, "per_sentence": length} for name, (pieces, length) in lengths.items()}
    found = {"words": 6.5, "code_points": 29.0, "cuts": cuts}
    return HindiPieces({"configuration": {"vocabulary": 3000}, "seeds": {"1": found}})


def test_a_made_up_result_is_read_by_hand(made_up):
    rows = made_up.rows()
    assert rows == [
        ("usual pattern", "90", "18.0"),
        ("marks kept, equally many pieces", "90", "9.0"),
        ("marks kept, as many pieces as were asked for", "3,000", "8.0"),
    ]
    assert all(len(row) == len(HEADER) for row in rows)
    numbers = made_up.numbers()
    assert (numbers["asked"], numbers["pieces"], numbers["words"], numbers["points"]) == (3000, 90, 6.5, 29.0)
    assert (numbers["usual_length"], numbers["whole_length"], numbers["asked_length"]) == (18.0, 9.0, 8.0)
    assert numbers["saved"] == 50.0


def test_on_real_sentences_the_pattern_counts_for_more_than_the_number_of_pieces():
    real = reader.read()
    numbers = real.numbers()
    usual, whole, asked = (real.cuts[name] for name in LABELS)
    assert usual["pieces"] == whole["pieces"] < asked["pieces"] / 2 and asked["pieces"] == numbers["asked"]
    by_pattern = numbers["usual_length"] - numbers["whole_length"]
    assert by_pattern > 4 * (numbers["whole_length"] - numbers["asked_length"]) > 0
    assert round(numbers["usual_length"] / numbers["words"]) == 3
    assert numbers["words"] < numbers["asked_length"] and numbers["usual_length"] < numbers["points"]
