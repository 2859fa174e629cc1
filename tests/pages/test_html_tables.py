"""Tables from a template: every cell in its place, and never taken for HTML."""

import pytest
from bs4 import BeautifulSoup
from jinja2 import UndefinedError

from attention_book.pages.html_tables import table_html, template

ROWS = [["<b>1</b>", 'a "quoted" & plain'], ["2", "it's"]]


def test_a_table_is_read_back_as_it_was_given():
    table = BeautifulSoup(table_html(["x < y", "español"], ROWS, {"español": "es"}), "html.parser")
    assert [cell.get_text() for cell in table.select("thead th[scope=col]")] == ["x < y", "español"]
    assert [[cell.get_text() for cell in row.find_all("td")] for row in table.select("tbody tr")] == ROWS
    assert [cell.get("lang") for cell in table.select("td")] == [None, "es"] * 2
    assert not table.find_all("b")


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="a row of 1 cells does not fit a header of 2"):
        table_html(["a", "b"], [["1"]])


def test_a_template_that_lacks_something_says_so():
    with pytest.raises(UndefinedError, match="corner"):
        template("{{ corner }}").render()
