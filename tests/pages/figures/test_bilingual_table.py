import html
import re

import pytest

from attention_book.pages.figures.bilingual_table import bilingual_table


def test_a_row_has_both_sentences_and_says_that_the_second_is_spanish():
    table = bilingual_table(["It isn't.", "a < b"], ["No lo es.", "a < b"])
    rows = re.findall(r"<tr><td>(.*?)</td><td lang=\"es\">(.*?)</td></tr>", table)
    assert rows[1] == ("a &lt; b", "a &lt; b")
    assert html.unescape(rows[0][0]) == "It isn't." and rows[0][1] == "No lo es."
    assert table.index("English") < table.index("Spanish") < table.index("It isn")


def test_each_sentence_needs_a_translation():
    with pytest.raises(ValueError, match="1 translations do not fit 2 sentences"):
        bilingual_table(["a", "b"], ["c"])
