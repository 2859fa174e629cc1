"""A run times every way for every batch and length."""

import pytest
import torch

from attention_book.experiments.translator import cache_timed as experiment


@pytest.mark.slow
def test_a_run_reports_every_way_for_every_length():
    threads = torch.get_num_threads()
    small = experiment.CONFIGURATION | {"lengths": [2, 6], "batches": [1, 3], "repeats": 3, "src_len": 4}
    found = experiment.run_seed(0, small)
    assert torch.get_num_threads() == threads and found["tokens"] == 0 and len(found["load"]) == 2
    for batch in (1, 3):
        for way in ("nothing", "source", "own", "both"):
            assert [len(times) for times in found[f"{batch}/{way}_ms"]] == [3, 3]
            assert all(time > 0 for times in found[f"{batch}/{way}_ms"] for time in times)
            assert max(found[f"{batch}/{way}_difference"]) < 1e-4
        assert found[f"{batch}/nothing_difference"] == [0, 0]
    assert found["1/both_difference"] != [0, 0], "it has not been computed in another way"
