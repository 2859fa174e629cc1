"""The experiment on narrow heads: one of two widths is changed, and everything else is that of the two lookups."""

from attention_book.experiments.attention import narrow_heads as experiment
from attention_book.experiments.attention import two_lookups

SMALL = experiment.CONFIGURATION | {
    "rows": 4, "content": 4, "d_model": 8, "heads": 8, "batch": 2, "held_out": 3, "steps": 2,
}  # fmt: skip


def test_an_arm_has_the_widths_that_it_names():
    shapes = {}
    for arm, (d_k, d_v) in SMALL["arms"].items():
        attention = experiment.lookup_of(d_k, d_v, 0, SMALL).attention
        shapes[arm] = [tuple(w.weight.shape) for w in (attention.w_q, attention.w_k, attention.w_v, attention.w_o)]
    assert shapes["both"] == [(8, 8)] * 4
    assert shapes["wider_values"] == [(8, 8), (8, 8), (32, 8), (8, 32)]
    assert shapes["wider_keys"] == [(32, 8), (32, 8), (8, 8), (8, 8)]


def test_the_arm_that_widens_nothing_is_the_widest_layer_of_the_two_lookups():
    task = {"kind": "numbers", "lookups": 1, "heads": [8], "steps": 2, "learning_rate": 1e-2}
    same = two_lookups.run_seed(3, SMALL | {"tasks": [task]})
    assert experiment.run_seed(3, SMALL)["both/loss"] == same["numbers_1_8/loss"]


def test_a_run_reports_every_arm_and_repeats_itself():
    first = experiment.run_seed(0, SMALL)
    assert first == experiment.run_seed(0, SMALL) != experiment.run_seed(1, SMALL)
    assert first["tokens"] == 3 * 2 * (2 * 4)
    assert {name for name in first if name.endswith("/loss")} == {f"{arm}/loss" for arm in SMALL["arms"]}
    assert first["wider_keys/parameters"] > first["both/parameters"]


def test_the_setting_is_that_of_one_row_of_numbers_with_32_heads():
    one = two_lookups.CONFIGURATION["tasks"][0]
    assert (one["kind"], one["lookups"]) == ("numbers", 1) and experiment.CONFIGURATION["heads"] in one["heads"]
    assert all(experiment.CONFIGURATION[name] == one[name] for name in ("kind", "lookups", "steps", "learning_rate"))
    assert experiment.SEEDS == two_lookups.SEEDS
