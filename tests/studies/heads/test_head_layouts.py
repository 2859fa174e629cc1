"""Where the numbers of three words end up, with the transpose and without it, by hand."""

from attention_book.studies.heads.head_layouts import MERGE_HEADER, SPLIT_HEADER, merge_rows, split_rows


def test_head_0_is_a_column_with_the_transpose_and_half_of_the_sentence_without():
    assert split_rows() == [
        ("head 0 holds", "I.0, like.0, cats.0", "I.0, I.1, like.0"),
        ("head 1 holds", "I.1, like.1, cats.1", "like.1, cats.0, cats.1"),
    ]
    assert len(SPLIT_HEADER) == 3


def test_the_row_of_a_word_is_its_own_with_the_transpose_and_others_without():
    assert merge_rows() == [
        ("the row of I", "I.0, I.1", "I.0, like.0"),
        ("the row of like", "like.0, like.1", "cats.0, I.1"),
        ("the row of cats", "cats.0, cats.1", "like.1, cats.1"),
    ]
    assert len(MERGE_HEADER) == 3
