"""The experiment on distances: rows that are what they say, gates as asked, and runs that repeat."""

import pytest
import torch

from attention_book.experiments.before import reaching_back as experiment

SMALL = experiment.CONFIGURATION | {
    "cells": {"RNN": None, "LSTM, gates open": 3.0},
    "delays": [2],
    "after_delay": 2,
    "longest": 4,
    "steps": 12,
    "examined": 50,
}


def test_the_first_symbol_is_the_answer_and_the_others_say_nothing():
    rows, answers = experiment.rows_of(500, 6, 8, torch.Generator().manual_seed(0))
    assert rows.shape == (500, 7)
    assert torch.equal(rows[:, 0], answers)
    assert set(answers.tolist()) == set(range(8))
    assert set(rows[:, 1:].flatten().tolist()) == set(range(8, 16))


def test_open_gates_are_open_and_nothing_else_is_changed():
    def made(bias):
        torch.manual_seed(0)
        return experiment.Recaller("LSTM", bias, 4, 3, 5).state_dict()

    plain, opened = made(None), made(3.0)
    changed = {name for name in plain if not torch.equal(plain[name], opened[name])}
    assert changed == {"cell.bias_ih_l0"}
    assert opened["cell.bias_ih_l0"][5:10].tolist() == [3.0] * 5


def test_training_ends_early_when_it_is_good_enough():
    torch.manual_seed(0)
    model = experiment.Recaller("GRU", None, 2, 8, 16)
    setting = experiment.CONFIGURATION | {"symbols": 2, "steps": 400}
    steps = experiment.train(model, 1, 0, setting)
    assert 10 <= steps < 400
    assert experiment.recalled(model, 1, 0, setting) == 1.0
    assert experiment.train(model, 1, 0, setting | {"enough": 0.0, "steps": 3}) == 3


def test_a_gru_that_learned_twenty_steps_names_the_symbol_over_forty_without_further_training():
    torch.manual_seed(3)
    model, setting = experiment.Recaller("GRU", None, 8, 16, 32), experiment.CONFIGURATION
    assert experiment.recalled(model, 40, 3, setting) < 0.2
    experiment.train(model, 20, 3, setting)
    assert experiment.recalled(model, 40, 3, setting) > 0.9


def test_a_run_reports_every_cell_and_delay_and_repeats():
    metrics = experiment.run_seed(1, SMALL)
    assert metrics == experiment.run_seed(1, SMALL) != experiment.run_seed(2, SMALL)
    for cell in SMALL["cells"]:
        assert len(metrics[f"{cell}/fresh"]) == len(metrics[f"{cell}/trained"]) == 5
        assert metrics[f"{cell}/fresh"] != metrics[f"{cell}/trained"]
        assert 0 <= metrics[f"{cell}/2/recalled"] <= 1
    assert metrics["tokens"] == sum(metrics[f"{cell}/2/steps"] for cell in SMALL["cells"]) * SMALL["batch"]
    fresh = {cell: metrics[f"{cell}/fresh"] for cell in SMALL["cells"]}
    kept = {cell: line[4] / line[1] for cell, line in fresh.items()}
    assert kept["LSTM, gates open"] > kept["RNN"]


def test_guessing_is_right_once_in_as_many_times_as_there_are_symbols():
    torch.manual_seed(0)
    model = experiment.Recaller("RNN", None, 8, 4, 4)
    torch.nn.init.zeros_(model.output.weight)
    assert experiment.recalled(model, 3, 0, experiment.CONFIGURATION) == pytest.approx(1 / 8, abs=0.04)
