"""The three ways to score a known target give the same numbers; the run reports all of them."""

import pytest
import torch

from attention_book.experiments.attention import one_pass as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer


@pytest.mark.parametrize("length", [1, 5])
def test_all_ways_give_the_same_scores(length):
    torch.manual_seed(0)
    model = Transformer(TransformerConfig.tiny(20)).double().eval()
    src, tgt = torch.randint(3, 20, (2, 6)), torch.randint(3, 20, (2, length))
    with torch.inference_mode():
        scores = [way(model, model.encode(src), tgt) for way in experiment.WAYS.values()]
    for other in scores[1:]:
        torch.testing.assert_close(other, scores[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(scores[0].exp().sum(-1), torch.ones(2, length, dtype=torch.float64))


def test_a_run_reports_every_way_for_every_length():
    threads = torch.get_num_threads()
    found = experiment.run_seed(0, experiment.CONFIGURATION | {"preset": "tiny", "lengths": [2, 3], "repeats": 4})
    assert torch.get_num_threads() == threads
    for way in experiment.WAYS:
        assert [len(times) for times in found[f"{way}_ms"]] == [4, 4]
        assert all(time > 0 for times in found[f"{way}_ms"] for time in times)
        assert max(found[f"{way}_difference"]) < 1e-4
    assert found["tokens"] == 0
