"""What *Attention over hidden states* says of sixteen rows side by side holds in the result on record."""

from attention_book.readers.before.sixteen_rows import FAMILIES, SixteenRows, read


def test_made_up_times_are_read_by_hand():
    def seed(n):
        found = {"recurrent_one": 1.0 + n, "recurrent_many": 4.0, "recurrent_ratio": 2.0 + 2 * n}
        return found | {"transformer_one": 1.0, "transformer_many": 2.0, "transformer_ratio": 2.0}

    made_up = SixteenRows({"configuration": {"rows": 3, "steps": 50}, "seeds": {"0": seed(0), "1": seed(1)}})
    assert made_up.header() == ["", "one row of 50 tokens (s)", "3 rows (s)", "ratio"]
    row = ("recurrent, additive attention", "1.50\xa0±\xa00.71", "4.00\xa0±\xa00.00", "3.0\xa0±\xa01.4")
    assert made_up.rows()[0] == row
    assert made_up.most() == 4 and made_up.numbers() == {"ratio_rnn": 3}


def test_sixteen_rows_never_take_sixteen_times_as_long():
    runs = read()
    assert runs.most() < runs.setting["rows"] == 16
    assert len(runs.rows()) == len(FAMILIES)
