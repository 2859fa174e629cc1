"""What *How many heads?* says of narrow keys and narrow values holds in the result on record."""

import pytest

from attention_book.readers.attention import two_lookups
from attention_book.readers.attention.narrow_heads import HEADER, NAMES, NarrowHeads, read


@pytest.fixture(scope="module")
def narrow():
    return read()


def test_a_made_up_result_is_read_by_hand():
    arms = {"both": [1, 1], "wider_values": [1, 4], "wider_keys": [4, 1]}
    losses = {"both": (0.5, 0.75), "wider_values": (0.25, 0.5), "wider_keys": (0.0, 0.0)}
    seeds = {
        str(n): {f"{arm}/loss": both[n] for arm, both in losses.items()} | {f"{arm}/parameters": 7 for arm in arms}
        for n in range(2)
    }
    narrow = NarrowHeads({"configuration": {"arms": arms}, "seeds": seeds})
    first, second, third = narrow.rows()
    assert first == ("as above", "1", "1", "0.625\xa0±\xa00.177") and len(first) == len(HEADER)
    assert second[:3] == ("values widened", "1", "4") and third[-1] == "0.000\xa0±\xa00.000"
    assert narrow.numbers() == {"narrow_values": 0.375} and narrow.parameters("both") == 7


def test_wider_keys_leave_nothing_in_any_seed_and_wider_values_leave_nearly_half(narrow):
    left = {arm: narrow.of(f"{arm}/loss") for arm in NAMES}
    assert left["wider_keys"].max() < 1e-3
    assert 0.4 < left["wider_values"].min() < left["wider_values"].max() < 0.5 < left["both"].min()


def test_the_arm_that_widens_nothing_is_the_layer_of_the_table_above(narrow):
    above = two_lookups.read()
    assert narrow.of("both/loss").tolist() == pytest.approx(above.of("numbers_1_32/loss").tolist(), abs=1e-3)
    assert narrow.parameters("both") == above.parameters
    assert narrow.n_seeds == above.n_seeds


def test_the_two_wider_layers_have_about_as_many_parameters(narrow):
    values, keys = (narrow.parameters(arm) for arm in ("wider_values", "wider_keys"))
    assert values == pytest.approx(keys, rel=0.01)
