"""What a training costs: the formula against torch's own count, and the paper's numbers against its own clock."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attention_book.experiments.records import recorded
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.studies.machines import training_cost as study
from attention_book.studies.translator.parameter_counts import by_formula


@pytest.mark.parametrize("changes", [{}, {"n_layers": 3, "d_ff": 40}, {"d_model": 24, "n_heads": 2}, {"norm": "post"}])
@pytest.mark.parametrize(("rows", "src_len", "tgt_len"), [(1, 7, 4), (3, 5, 9)])
def test_the_formula_is_torchs_count_of_a_step(changes, rows, src_len, tgt_len):
    config = TransformerConfig.tiny(vocab_size=30, dropout=0.0, **changes)
    model = Transformer(config)
    src, tgt = torch.full((rows, src_len), 5), torch.full((rows, tgt_len), 6)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # it does not see into fused ones
        logits = model(src, tgt)
        forward = counter.get_total_flops()
        logits.sum().backward()
    pairs = rows * study.of_attention(config, src_len, tgt_len)
    products = study.training_flops(config, rows * src_len, rows * tgt_len)
    assert counter.get_total_flops() == products + 6 * pairs
    assert 3 * forward == products + 6 * pairs


def test_a_pair_of_tokens_costs_a_multiply_add_per_parameter_of_a_matrix():
    for run in study.PAPER.values():
        counted, parameters = sum(study.multiply_adds(run.config).values()), by_formula(run.config)["all"]
        assert 0.995 * parameters < counted < parameters  # what is missing are biases and norms


def test_the_papers_printed_costs_are_its_hours_times_its_gpus():
    for run in study.PAPER.values():
        assert run.by_clock == pytest.approx(run.printed, rel=0.01)
    assert study.PAPER["base"].tokens == 2_500_000_000 and study.PAPER["big"].tokens == 7_500_000_000


def test_base_by_hand():
    layer = 2 * 512 * 2048
    source = 6 * (4 * 512**2 + layer) + 6 * 2 * 512**2
    target = 6 * (6 * 512**2 + layer) + 37000 * 512
    assert study.multiply_adds(TransformerConfig.base()) == {"source": source, "target": target}
    assert study.PAPER["base"].needed == 6 * (source + target) * 2_500_000_000


def test_attentions_share_grows_with_the_length():
    config = TransformerConfig.base()
    shares = [study.attention_share(config, length) for length in (1, 30, 1000, 10**9)]
    assert shares == sorted(shares) and shares[0] < 0.001 and shares[-1] > 0.99
    pairs, tokens = 3 * 30 * 30 * 2 * 512 * 6, 30 * sum(study.multiply_adds(config).values())
    assert shares[1] == pytest.approx(pairs / (pairs + tokens))


@pytest.mark.parametrize(("value", "said"), [(3.3e18, "3.3 · 10¹⁸"), (9.96e17, "1.0 · 10¹⁸"), (12.0, "1.2 · 10¹")])
def test_powers_of_ten(value, said):
    assert study.powers(value) == said


def test_days_are_operations_by_speed_and_fewer_with_more_machines():
    assert study.days("base", study.P100 * study.GPUS) < study.PAPER["base"].hours / 24
    assert study.days("big", 1e12, machines=4) == pytest.approx(study.days("big", 1e12) / 4)
    record = recorded("en-es")
    wanted = study.training_flops(TransformerConfig.small(), record["tokens"], record["tokens"])
    assert study.speed_of(record) * record["training_seconds"] == pytest.approx(wanted)


def test_the_table_and_the_text_tell_of_both_runs():
    rows = study.rows()
    assert {len(row) for row in rows} == {len(study.HEADER)}
    told = {name: (base, big) for name, base, big in rows}
    assert told["operations in the paper's Table 2"] == ("3.3 · 10¹⁸", "2.3 · 10¹⁹")
    assert told["GPU hours by the clock"] == ("96", "672")
    numbers = study.numbers()
    assert 0 < numbers["base_busy"] < numbers["big_busy"] < 100
    assert numbers["base_ratio"] > numbers["big_ratio"] > 1 and numbers["own_hours"] < numbers["base_days"] * 24


def test_a_core_needs_fewer_days_than_the_speeds_on_paper_say():
    numbers = study.numbers()
    assert numbers["own_slower"] == round(study.P100 / (numbers["own_speed"] * 1e9))
    assert numbers["own_naive"] == 4 * numbers["own_slower"]
    assert numbers["base_days"] == pytest.approx(4 * numbers["own_as_used"])
    assert numbers["base_days"] == pytest.approx(numbers["own_naive"] * numbers["base_busy"] / 100, rel=0.02)
