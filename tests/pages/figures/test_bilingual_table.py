import re

import pytest

from attention_book.pages.figures.bilingual_table import bilingual_table


def test_a_row_has_both_sentences_and_says_that_the_second_is_spanish():
    table = bilingual_table(["It isn't.", "a < b"], ["No lo es.", "a < b"])
    assert re.findall(r"<tr><td>(.*?)</td><td lang=\"es\">(.*?)</td></tr>", table) == [
        ("It isn't.", "No lo es."),
        ("a &lt; b", "a &lt; b"),
    ]
    assert table.index("English") < table.index("Spanish") < table.index("isn't")


def test_each_sentence_needs_a_translation():
    with pytest.raises(ValueError, match="1 translations do not fit 2 sentences"):
        bilingual_table(["a", "b"], ["c"])
