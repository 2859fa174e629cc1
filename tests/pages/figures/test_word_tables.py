"""Tables of weights between words: what they say, in which language, and what they refuse."""

import re
import xml.etree.ElementTree as ET

import pytest
import torch

from attention_book.pages.figures.word_tables import Word, weights_table

HINDI = [Word("आप", "hi", "āp"), Word("हैं", "hi", "haĩ")]
ENGLISH = [Word("are"), Word("<you> & me")]


def table(weights, rows=HINDI, columns=ENGLISH, **how):
    return ET.fromstring(weights_table(weights, rows, columns, corner="q \\ k", caption="Who?", **how))


def test_every_word_is_marked_with_its_language_and_every_number_is_there():
    tree = table([[0.25, 0.75], [0.1, 0.8]])
    spans = {span.text: span.get("lang") for span in tree.iter("span")}
    assert spans == {"आप": "hi", "हैं": "hi", "are": "en", "<you> & me": "en"}
    assert [small.text for small in tree.iter("small")] == ["āp", "haĩ"]
    lines = [[cell.text for cell in line.findall("td")] for line in tree.find("div/table/tbody")]
    assert lines == [["0.25", "0.75", "1.00"], ["0.10", "0.80", "0.90"]]
    assert [th.get("scope") for th in tree.find("div/table/tbody").iter("th")] == ["row", "row"]
    assert tree.find("figcaption").text == "Who?"


def test_masked_cells_look_different_and_the_shade_is_the_weight():
    tree = table(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), mask=torch.ones(2, 2, dtype=torch.bool).tril())
    cells = [cell for line in tree.find("div/table/tbody") for cell in line.findall("td")[:-1]]
    assert [cell.get("class") for cell in cells] == [None, "masked", None, None]
    shares = [float(re.search(r"--share: (.*)", cell.get("style"))[1]) for cell in cells if cell.get("style")]
    assert shares == [1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("weights", "how", "message"),
    [
        ([[0.5, 0.5]], {}, "shape"),
        ([[0.5, 1.5], [0, 1]], {}, "between 0 and 1"),
        ([[float("nan"), 0.5], [0, 1]], {}, "between 0 and 1"),
        ([[0.5, 0.5], [0, 1]], {"mask": [[True, False], [True, True]]}, "masked cell"),
    ],
)
def test_what_are_no_weights_is_refused(weights, how, message):
    with pytest.raises(ValueError, match=message):
        table(weights, **how)
