"""The experiment on the size of embeddings: its arms are what they are called, and it measures what it says."""

import math

import pytest
import torch
from global_state import unchanged_state

from attention_book.data.batching import token_batches
from attention_book.experiments.attention import embedding_scale as experiment
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer

CONFIG = TransformerConfig.tiny(200, dropout=0.0)
IDS = [([5, 9, 7], [30, 31, 40, 12]), ([150, 8], [33])]
BATCHES = token_batches(IDS, 100, seed=0, epoch=0)
SHORT = experiment.CONFIGURATION | {"steps": 4, "train_pairs": 30, "held_out_pairs": 5, "curve_every": 2}


def arm(name, **changes):
    return experiment.build(experiment.ARMS[name] | changes, CONFIG, seed=3).eval()


def plain():
    torch.manual_seed(3)
    return Transformer(CONFIG).eval()


def test_the_first_arm_is_the_books_transformer():
    batch = BATCHES[0]
    torch.testing.assert_close(arm("small_times_root")(batch.src, batch.tgt_in), plain()(batch.src, batch.tgt_in))


@pytest.mark.parametrize(
    ("name", "std", "length"),
    [("small_times_root", 1 / 8, 8), ("small", 1 / 8, 1), ("small_all", 1 / 8, 1), ("large", 1, 8),
     ("large_times_root", 1, 64), ("large_untied", 1, 8)],
)  # fmt: skip
def test_each_arm_has_the_size_it_is_called_by(name, std, length):
    model = arm(name)
    for embedding in (model.src_embedding, model.tgt_embedding):
        assert embedding.weight.detach().std().item() == pytest.approx(std, rel=0.02)
        assert (embedding.weight.detach() * model.factor).norm(dim=1).mean().item() == pytest.approx(length, rel=0.05)
    tied = model.output.weight is model.src_embedding.weight
    assert tied == (name != "large_untied")


def test_where_size_times_factor_agree_the_encoder_agrees_and_the_logits_differ_by_the_root():
    batch, small, large = BATCHES[0], arm("small_times_root"), arm("large")
    torch.testing.assert_close(small.encode(batch.src).states, large.encode(batch.src).states)
    # In single precision: the two logits are sums of the same products, one of them times 8.
    torch.testing.assert_close(8 * small(batch.src, batch.tgt_in), large(batch.src, batch.tgt_in), rtol=1e-4, atol=1e-3)


def test_the_share_of_positions_is_that_of_the_squared_lengths():
    model = arm("small")
    with torch.no_grad():
        model.src_embedding.weight.fill_(0.5)  # 64 numbers: squared length 16, beside 32 of a position
    assert experiment.position_share(model, BATCHES) == pytest.approx(32 / 48)
    model.factor = 0.0
    assert experiment.position_share(model, BATCHES) == pytest.approx(1)
    model.factor, model.place_factor = 1.0, 0.5
    assert experiment.position_share(model, BATCHES) == pytest.approx(8 / 24)


def test_first_logits_are_those_of_the_model():
    model = arm("large")
    found = experiment.first_logits(model, BATCHES)
    logits, own = [], []
    for source, target in IDS:
        rows = model(torch.tensor([[*source, 2]]), torch.tensor([[1, *target]]))[0]
        logits += [row.var().item() for row in rows]
        own += [row[token].item() for row, token in zip(rows, [1, *target], strict=True)]
    assert found["logit_variance"] == pytest.approx(sum(logits) / len(logits), rel=1e-4)
    assert found["own_logit"] == pytest.approx(sum(own) / len(own), rel=1e-4)


def test_a_run_reports_every_arm_and_repeats_itself():
    few = SHORT | {"arms": {name: experiment.ARMS[name] for name in ("small", "large_untied")}, "peak_rates": [4e-3]}
    first, second = experiment.run_seed(0, few), experiment.run_seed(0, few)
    assert first == second != experiment.run_seed(1, few)
    assert 0 < first["floor"] < first["log_vocabulary"]
    for name in few["arms"]:
        assert (
            len(first[f"{name}/0.004/curve"]) == 2 and first[f"{name}/0.004/loss"] == first[f"{name}/0.004/curve"][-1]
        )
        assert {f"{name}/first_loss", f"{name}/own_logit", f"{name}/0.004/position_share"} <= set(first)
    assert first["tokens"] > 0 and math.isfinite(first["small/0.004/loss"])


def test_it_changes_no_global_state():
    with unchanged_state():
        experiment.run_seed(0, SHORT | {"arms": {"small": experiment.ARMS["small"]}, "peak_rates": [4e-3]})
