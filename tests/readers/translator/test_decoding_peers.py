"""What *Measurements* says of the searches beside CTranslate2 holds in the benchmark on record."""

import pytest

from attention_book.readers.translator.decoding_peers import MARK, DecodingPeers, read


def made_up():
    def found(median, ratio, equal=1.0):
        rate = {"median": median, "least": median - 1, "most": median + 1}
        return {"processor": rate, "wall": rate, "ratio": ratio, "equal": equal}

    tables = [
        {"batch": 1, "beam": 1, "contenders": {MARK: found(2000, 1.0), "ours:float32": found(1000.4, 0.5, 0.75)}},
        {"batch": 8, "beam": 4, "contenders": {"ours:float32": found(300, 1.5), MARK: found(200, 1.0)}},
    ]
    tables[0]["contenders"]["ours:int8"] = found(1, 1.0)
    record = {"sentences": 5, "rounds": 3, "date": "d", "machine": {"processor": "p"}}
    return DecodingPeers(
        {**record, "versions": {"ctranslate2": "v"}, "load": {"before": 0.5, "after": 2.5}, "tables": tables}
    )


def test_a_made_up_record_is_read_by_hand():
    read = made_up()
    assert read.contenders == ["ours:float32", MARK], "whoever missed a task is left out"
    assert read.header == ("search", "one sentence, greedy", "8 sentences, beam 4", "same as the first row")
    assert read.rows() == [
        ("the faster search, float32", "1,000 (999 to 1,001), 0.50", "300 (299 to 301), 1.50", "75.0% to 100.0%"),
        ("CTranslate2, float32", "2,000 (1,999 to 2,001), 1.00", "200 (199 to 201), 1.00", "100.0%"),
    ]
    assert read.ratios("ours:float32") == [0.5, 1.5]
    numbers = read.numbers()
    assert (numbers["peer_least"], numbers["peer_most"], numbers["peer_load"]) == (0.5, 1.5, 2.5)
    with pytest.raises(KeyError):
        read.ratios("ours:int8")


def test_the_faster_search_gives_the_same_translations_and_is_faster_than_any_other_in_float32():
    record = read()
    assert {row[-1] for row in record.rows()[:2]} == {"100.0%"}
    faster = record.ratios("ours:float32")
    others = [name for name in record.contenders if not name.endswith(":int8") and name != "ours:float32"]
    assert all(one > max(rest) for one, *rest in zip(faster, *map(record.ratios, others), strict=True))
    assert len(others) == 5 and min(faster) > 1 == max(record.ratios(MARK))


def test_it_gains_most_where_a_step_has_few_rows():
    faster = read().ratios("ours:float32")
    tasks = [table["batch"] * table["beam"] for table in read().record["tables"]]
    assert [ratio for _, ratio in sorted(zip(tasks, faster, strict=True))] == sorted(faster, reverse=True)


def test_in_eight_bits_ctranslate2_is_faster():
    record = read()
    eight = zip(record.ratios("ours:int8"), record.ratios("ctranslate2:int8"), strict=True)
    assert all(ours < theirs for ours, theirs in eight)


def test_every_ratio_is_that_of_the_medians():
    for table in read().record["tables"]:
        mark = table["contenders"][MARK]["processor"]["median"]
        for found in table["contenders"].values():
            assert found["ratio"] == pytest.approx(found["processor"]["median"] / mark)
            assert found["processor"]["least"] <= found["processor"]["median"] <= found["processor"]["most"]
