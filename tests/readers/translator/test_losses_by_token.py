"""What *Training the translator* says of the losses by token holds in the result on record."""

import pytest

from attention_book.readers.translator import losses_by_token
from attention_book.readers.translator.losses_by_token import HEADER, LossesByToken


def test_a_made_up_result_is_read_by_hand():
    setting = {"places": ["begins", "continues"], "bins": 4}
    found = {"begins_count": 1000, "begins_loss": [3.0, 0.1], "continues_count": 3000, "continues_loss": [1.0, 0.25]}
    found |= {"loss": 1.5, "target_tokens": 4000, "costliest_tenth": 0.5, "costliest_half": 0.75, "hit": 0.5}
    found |= {"sentences": 7, "own": [0.2, 0.2, 0.2, 0.4], "largest": [0.25, 0.5, 0.25]}
    runs = LossesByToken({"configuration": setting, "seeds": {"0": found}})
    assert runs.rows()[0] == (losses_by_token.SAID["begins"], "1,000", "3.00\xa0±\xa00.10", "50\xa0%")
    numbers = runs.numbers()
    assert numbers["split_share"] == numbers["split_part"] == "100\xa0%"
    assert numbers["cheaper_half"] == "25\xa0%"
    # All pulls: between 0.15 + 0.1 + 0.05 = 0.3 and 0.2 + 0.15 + 0.1 + 0.1 = 0.55; the tenth's: between 0.075 and 0.1.
    assert runs.tenth_pull() == pytest.approx((0.075 / 0.55, 0.1 / 0.3))
    assert numbers["tenth_pull"] == "14 to 33\xa0%"
    found["own"] = [0.05, 0.35, 0.2, 0.4]
    with pytest.raises(ValueError, match="first bin"):
        runs.tenth_pull()


def test_the_table_covers_every_token(runs):
    assert all(len(row) == len(HEADER) for row in runs.rows())
    assert sum(runs.part(place) for place in runs.setting["places"]) == pytest.approx(1, abs=1e-3)


def test_what_the_page_says_holds(runs):
    numbers = runs.numbers()
    assert numbers["begins_cost"] - numbers["continues_cost"] > 5 * (runs.error("begins") + runs.error("continues"))
    assert numbers["continues_cost"] - numbers["whole_cost"] > 3 * (runs.error("continues") + runs.error("whole"))
    pieces = sum(runs.found[f"{place}_count"] for place in ("begins", "continues")) / runs.found["target_tokens"]
    assert runs.part("begins") + runs.part("continues") > 1.5 * pieces
    assert max(numbers["end_cost"], numbers["mark_cost"]) < 0.3
    low, high = runs.tenth_pull()
    assert 0.25 < low < 1 / 3 < high < 0.4
    assert runs.found["costliest_tenth"] > 0.5 and runs.found["costliest_half"] > 0.95
