"""The experiment on the size of batches: every size meets every rate, from one start, and a run repeats itself."""

import pytest
import torch
from global_state import unchanged_state

from attention_book.experiments.translator import batch_sizes as experiment

SHORT = experiment.CONFIGURATION | {
    "sizes": [60, 240],
    "rates": [1e-3, 4e-3],
    "drawn": 60,
    "examined": 4,
    "training": {"tokens": 700, "smoothing": 0.0},
}


def test_every_size_meets_every_rate_with_one_seed_and_one_start(monkeypatch):
    seen, starts = [], []

    class Noted(experiment.Trainer):
        def run(self, progress):
            settings = self.settings
            seen.append((settings.tokens_per_batch, settings.peak_rate, settings.seed, settings.tokens))
            starts.append(torch.cat([p.detach().flatten() for p in self.model.parameters()]))

    monkeypatch.setattr(experiment, "Trainer", Noted)
    experiment.run_seed(7, SHORT)
    assert seen == [(size, rate, 7, 700) for size in (60, 240) for rate in (1e-3, 4e-3)]
    assert all(torch.equal(start, starts[0]) for start in starts)


@pytest.mark.slow
def test_a_run_reports_every_size_and_repeats_itself():
    with unchanged_state():
        first, second = (experiment.run_seed(0, SHORT) for _ in range(2))
    for found in (first, second):
        assert all(seconds > 0 for seconds in found.pop("processor_seconds"))
    assert first == second
    assert [len(row) for row in first["loss"]] == [2, 2] and first["tokens"] >= 4 * 700
    assert first["steps"][0] > 2 * first["steps"][1]
    assert all(loss > first["floor"] for row in first["loss"] for loss in row)
    assert first["loss"][0][0] != first["loss"][0][1]
