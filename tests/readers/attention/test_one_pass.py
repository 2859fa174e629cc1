"""What *What the mask buys* says of times holds in the result on record."""

import pytest

from attention_book.readers.attention.one_pass import WAYS, OnePass


def test_made_up_times_are_read_by_hand():
    seeds = [{f"{way}_ms": [[1.0, 1.0], [n * t, n * t]] for n, way in enumerate(WAYS, 1)} for t in (10, 20)]
    setting, machine = {"lengths": [4, 8]}, {"processor": "made up"}
    made_up = OnePass({"configuration": setting, "machine": machine, "seeds": dict(enumerate(seeds))})
    assert made_up.times("one_pass").tolist() == [[1, 1, 1, 1], [30, 30, 60, 60]]
    assert made_up.ratio("prefix_passes") == pytest.approx(1 / 3) and made_up.numbers()["n_times"] == 4
    assert made_up.lines_told().endswith("One pass: 1 ms for 4 tokens, 45 ms for 8.")


def test_one_pass_is_cheapest_for_every_length_and_its_lead_grows(runs):
    middle = {way: runs.medians(way) for way in WAYS}
    for way in ("prefix_passes", "cached_steps"):
        lead = middle[way] / middle["one_pass"]
        assert lead.min() > 1 and lead[-1] > 5 * lead[0]


def test_a_cache_saves_work_and_still_takes_many_times_as_long(runs):
    assert runs.ratio("prefix_passes") > runs.ratio("cached_steps") > 5 and runs.ratio("one_pass") == 1
