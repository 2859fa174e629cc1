"""What *Recurrent cells* says of its runs holds in the result on record."""

import numpy as np
import pytest

from attention_book.readers.before.reaching_back import SHORT, ReachingBack


def test_made_up_runs_are_read_by_hand():
    """Two seeds that forget by ½ and by ¼ a step; the second starts four times as high."""

    def seed(factor, start, recalled):
        line = [start * factor**distance for distance in range(41)]
        found = {"RNN/fresh": line, "RNN/trained": [1.0] * 41, "RNN/5/recalled": recalled, "RNN/5/steps": 100 * start}
        return found | {"GRU/fresh": line, "GRU/trained": line, "GRU/5/recalled": 1.0, "GRU/5/steps": 7}

    cells = {"RNN": None, "GRU": None}
    sizes = {"hidden": 4, "symbols": 8, "steps": 500, "batch": 32, "d_in": 3}
    sizes |= {"clip": 1.0, "rate": 0.01, "after_delay": 5}
    configuration = {"cells": {**cells, "LSTM, gates open": 0.0}, "delays": [5], **sizes}
    seeds = {"0": seed(0.5, 1.0, 0.5), "1": seed(0.25, 4.0, 0.75)}
    for found in seeds.values():
        found |= {name.replace("GRU", "LSTM, gates open"): value for name, value in found.items() if "GRU" in name}
    made_up = ReachingBack({"configuration": configuration, "seeds": seeds})
    assert f"{made_up.rate('RNN', 'fresh'):.2f}" == "0.38\xa0±\xa00.18"  # 3/8, √2/8
    distance, line = made_up.lines("fresh")["RNN"]
    assert distance[-1] == 40 and line[:3] == pytest.approx([2, 2 * 8**-0.5, 2 / 8])
    assert "RNN: 2 at distance 0, 6.1e-05 at 10" in made_up.told("fresh")
    assert made_up.recalled_header() == ["symbols named", "5 steps"]
    assert made_up.recalled_rows()[0] == ("RNN", "62\xa0% (0 of 2)")
    assert made_up.recalled_rows()[1] == ("GRU", "100\xa0% (2 of 2)")
    assert made_up.named(5) == pytest.approx({"rnn_named": 62.5, "gru_named": 100, "open_named": 100})
    assert made_up.steps("RNN", 5).value == 250
    numbers = made_up.numbers()
    assert (
        numbers["learned_from"] == 90
        and numbers["open_gate"] == 0.5
        and numbers["chance"] == 12.5
        and numbers["rnn_fresh"] == pytest.approx(0.375)
    )


def test_fresh_cells_forget_and_open_gates_keep(runs):
    assert all(runs.rate(kind, "fresh").value < 0.75 for kind in ("RNN", "GRU", "LSTM"))
    assert runs.rate("LSTM, gates open", "fresh").value > 0.9


def test_who_learns_which_delay(runs):
    named = lambda kind, delay: runs.recalled(kind, delay).value  # noqa: E731
    assert all(named(kind, 5) > 0.99 for kind in runs.kinds)
    assert named("RNN", 20) < 0.2 and named("GRU", 20) > 0.9
    assert all(named(kind, 40) < 0.2 for kind in ("RNN", "GRU", "LSTM")) and named("LSTM, gates open", 40) > 0.9
    assert named("LSTM", 10) < named("RNN", 10) and named("LSTM", 20) < 0.2


def test_ten_steps_split_the_seeds_of_the_plain_cell(runs):  # so a mean with a deviation would hide the two kinds
    shares = runs.of("RNN/10/recalled")
    assert runs.learned("RNN", 10) == 3 and shares.min() < 0.3 and sorted(shares)[2] == 1


def test_the_cells_that_learned_twenty_steps_feel_the_symbol_to_be_named_more_than_what_is_nearer(runs):
    for kind, (_, line) in runs.lines("trained").items():
        assert (line[40] > 5 * line[30]) == (runs.learned(kind, 20) >= 4)


def test_open_gates_learn_twenty_steps_in_less_training_than_the_others_need_for_ten(runs):
    assert runs.steps("LSTM, gates open", 20).value < min(runs.steps(kind, 10).value for kind in ("RNN", "GRU", "LSTM"))


def test_training_opens_the_gru_and_closes_the_lstm(runs):
    assert runs.rate("GRU", "trained").value > 0.9
    assert runs.rate("LSTM", "trained").value < runs.rate("LSTM", "fresh").value


def test_the_trained_gru_hardly_falls_and_rises_where_the_symbol_stands(runs):
    lines = {name: line for name, (_, line) in runs.grown().items()}
    assert list(lines) == ["GRU, fresh", "GRU, trained", "LSTM, fresh", "LSTM, trained"]
    trained = lines["GRU, trained"]
    assert trained[30] > trained[10] / 3 and lines["GRU, fresh"][30] < lines["GRU, fresh"][10] / 1000
    assert trained[40] > 2 * trained[11:40].max() and trained[40] > trained[1:].max() * 0.99
    assert f"GRU, trained: {trained[0]:.2g} at distance 0, {trained[10]:.2g} at 10" in runs.grown_told()


def test_every_cell_has_a_name_a_line_and_a_row(runs):
    assert list(SHORT) == runs.kinds == list(runs.lines("trained"))
    assert np.shape(runs.recalled_rows()) == (4, len(runs.recalled_header()))


def test_over_ten_steps_a_fresh_lstms_derivative_is_the_larger_one_although_it_comes_last(runs):
    (steps, lstm), (_, plain) = (runs.lines("fresh")[kind] for kind in ("LSTM", "RNN"))
    assert steps[10] == 10 and lstm[10] > 1.5 * plain[10]
