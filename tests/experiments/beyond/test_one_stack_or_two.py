"""A run trains every arm on the same pairs; the loss on both sides asks for the whole stream."""

import math

import pytest
import torch

from attention_book.data.batching import padded_batch
from attention_book.experiments.beyond import one_stack_or_two as experiment
from attention_book.little_language.language import conditional_entropy, log_prob, pair_for, sample, word_vocabulary
from attention_book.models.one_stack.decoder_only import DecoderOnly
from attention_book.training.trainer import TrainingSettings

SMALL = experiment.CONFIGURATION | {
    "sizes": {"d_model": 16, "d_ff": 32},
    "drawn": 60,
    "examined": 8,
    "opened": 2,
    "training": experiment.CONFIGURATION["training"] | {"tokens": 300},
}


@pytest.mark.slow
def test_a_run_reports_every_arm_and_repeats_itself():
    threads = torch.get_num_threads()
    found = experiment.run_seed(0, SMALL)
    assert torch.get_num_threads() == threads and found == experiment.run_seed(0, SMALL)
    for name in SMALL["arms"]:
        assert found[f"{name}_loss"] > found["grammar"] > 0 and 0 <= found[f"{name}_right"] <= 1
        shares = found.get(f"{name}_shares")
        assert (shares is None) is (name == "two-stacks")
        assert shares is None or (len(shares) == 7 and all(0 < share < 1 for share in shares))


@pytest.mark.slow
def test_the_grammar_loses_its_entropy_on_average():
    pairs = sample(2000, 5, "es", 1)
    entropy = sum(map(conditional_entropy, pairs)) / sum(pair.target_tokens for pair in pairs)
    assert experiment.grammar_loss(pairs) == pytest.approx(entropy, rel=0.05)
    one = pair_for("I like cats.")
    assert experiment.grammar_loss([one]) == pytest.approx(-log_prob(one) / one.target_tokens)


def test_arms_have_equally_many_parameters():
    models = [experiment.build(arm, experiment.CONFIGURATION) for arm in experiment.CONFIGURATION["arms"].values()]
    sizes = [sum(p.numel() for p in model.parameters()) for model in models]
    assert max(sizes) / min(sizes) < 1.003
    assert [getattr(model, "prefix", None) for model in models] == [None, False, True, False]


def test_the_loss_on_both_sides_is_the_mean_over_the_stream():
    words = word_vocabulary("es")
    torch.manual_seed(0)
    model = experiment.build({"layers": 1}, SMALL)
    settings = TrainingSettings(tokens=100, smoothing=0.0)
    trainer = experiment.StreamTrainer(experiment.StreamLogits(model), [([5, 6], [7])], settings)
    log_probs = model.stream(torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7]])).log_softmax(-1)[0]
    by_hand = -sum(log_probs[row, label].item() for row, label in enumerate([6, 2, 1, 7, 2])) / 5
    assert math.isclose(trainer.train_step(padded_batch([([5, 6], [7])])), by_hand, rel_tol=1e-5)
    assert isinstance(model, DecoderOnly) and model.config.vocab_size == len(words)


def test_the_share_of_the_source_is_that_of_equal_weights_where_all_scores_are_equal():
    model = experiment.build({"layers": 1}, SMALL).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "w_q" in name:
                parameter.zero_()
    pair = pair_for("I like cats.")
    src, tgt = len(pair.source_words) + 1, len(pair.target_words) + 1
    by_hand = sum(src / (src + row) for row in range(1, tgt + 1)) / tgt
    assert experiment.source_shares(model, [pair], SMALL)[0] == pytest.approx(by_hand, abs=1e-4)
