"""All ways give one output; a run reports time and memory of each for every length."""

import numpy as np
import pytest
import torch

from attention_book.experiments.beyond import tiles_timed as experiment


@pytest.mark.parametrize("causal", [False, True])
def test_all_ways_give_the_same_output(causal):
    drawn = np.random.default_rng(0).standard_normal((3, 70, 8))
    calls = experiment.ways(drawn, causal, [16, 32])
    assert list(calls) == ["table", "tiles_16", "tiles_32", "torch"]
    outputs = [call() for call in calls.values()]
    for output in outputs[1:]:
        np.testing.assert_allclose(output, outputs[0], rtol=0, atol=1e-12)
    assert np.allclose(outputs[0][0], drawn[2][0]) is causal


def test_a_run_reports_every_way_for_every_length():
    threads = torch.get_num_threads()
    small = experiment.CONFIGURATION | {"lengths": [40, 160], "tiles": [8], "width": 4, "repeats": 3}
    found = experiment.run_seed(0, small)
    assert torch.get_num_threads() == threads and found["tokens"] == 0
    for arm in ("all", "causal"):
        for way in ("table", "tiles_8", "torch"):
            assert [len(times) for times in found[f"{arm}_{way}_ms"]] == [3, 3]
            assert all(time > 0 for times in found[f"{arm}_{way}_ms"] for time in times)
            assert max(found[f"{arm}_{way}_difference"]) < 1e-5
            assert min(found[f"{arm}_{way}_bytes"]) > 40 * 4 * 4
        assert found[f"{arm}_table_bytes"][1] > 3 * 160**2 * 4 > found[f"{arm}_tiles_8_bytes"][1]
