"""The faster step computes what the readable one computes: the same loss, the same gradients, the same dropout."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_book.data.batching import Batch
from attention_book.models.config import TransformerConfig
from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.models.recurrent_config import RecurrentConfig
from attention_book.models.transformer import Transformer
from attention_book.training import fast_step
from attention_book.training.fast_step import FastTrainer, fast_loss, kept, smoothed_output_loss
from attention_book.training.losses import label_smoothed_cross_entropy
from attention_book.training.trainer import Trainer, TrainingError, TrainingSettings

PADDED = Batch(
    torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0], [9, 9, 2, 0]]),
    torch.tensor([[1, 5, 6], [1, 0, 0], [1, 7, 8]]),
    torch.tensor([[5, 6, 2], [2, 0, 0], [7, 8, 2]]),
)
FULL = Batch(torch.tensor([[5, 6, 2], [8, 9, 2]]), torch.tensor([[1, 5], [1, 7]]), torch.tensor([[5, 2], [7, 2]]))
SHAPES = [
    {},
    {"norm": "post", "tie_embeddings": False, "positions": "learned", "bias": False, "d_k": 5, "d_v": 3},
    {"positions": "rotary"},
    {"positions": "none", "norm": "post"},
]


def model_of(dropout=0.0, **shape):
    torch.manual_seed(1)
    return Transformer(TransformerConfig.tiny(30, dropout=dropout, **shape)).double()


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    return {name: parameter.grad.clone() for name, parameter in model.named_parameters()}


def readable(model, batch, smoothing):
    return label_smoothed_cross_entropy(model(batch.src, batch.tgt_in), batch.tgt_out, smoothing)


def assert_equal(model, batch, smoothing, one=readable, other=fast_loss, before=lambda: None):
    before()
    expected = one(model, batch, smoothing)
    wanted = gradients(model, expected)
    before()
    found = other(model, batch, smoothing)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(gradients(model, found), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("batch", [PADDED, FULL], ids=["padded", "full"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_every_gradient_are_those_of_the_readable_step(shape, batch, smoothing):
    assert_equal(model_of(**shape), batch, smoothing)


@pytest.mark.parametrize("shape", SHAPES)
def test_with_the_same_draws_dropout_does_the_same_at_the_same_places(shape, monkeypatch):
    def like_kept(self, x):
        factors = fast_step.kept(x.shape, self.p, x) if self.training else None
        return x if factors is None else x * factors

    model = model_of(dropout=0.3, **shape)
    assert_equal(model, FULL, 0.1, before=in_order(monkeypatch, like_kept))


def in_order(monkeypatch, forward):
    """Both draw by `kept` from one state of the generator: the readable model's dropout is replaced."""
    monkeypatch.setattr(nn.Dropout, "forward", forward)
    return lambda: torch.manual_seed(7)


def test_the_loss_of_the_output_layer_is_that_of_torch_with_its_gradients():
    torch.manual_seed(2)
    states = (3 * torch.randn(9, 6, dtype=torch.float64)).requires_grad_()
    weight = torch.randn(40, 6, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(40, (9,))
    for smoothing in (0.0, 0.1, 0.7):
        expected = F.cross_entropy(states @ weight.t(), targets, label_smoothing=smoothing)
        found = smoothed_output_loss(states, weight, targets, smoothing)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
        both = [torch.autograd.grad(3 * loss, (states, weight)) for loss in (found, expected)]
        torch.testing.assert_close(*both, rtol=0, atol=1e-12)
        assert torch.autograd.gradcheck(
            lambda *both, e=smoothing: smoothed_output_loss(*both, targets, e), (states, weight)
        )


def test_logits_that_are_far_apart_lose_no_loss():
    states = torch.tensor([[500.0, 0.0]], requires_grad=True)
    weight, target = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], requires_grad=True), torch.tensor([1])
    found = smoothed_output_loss(states, weight, target, 0.1)
    expected = F.cross_entropy(states @ weight.t(), target, label_smoothing=0.1)
    torch.testing.assert_close(found, expected)
    found.backward()
    assert states.grad.isfinite().all() and weight.grad.isfinite().all()


def test_no_target_at_all_costs_nothing():
    states, weight = torch.zeros(0, 4, requires_grad=True), torch.ones(7, 4, requires_grad=True)
    loss = smoothed_output_loss(states, weight, torch.zeros(0, dtype=torch.long), 0.1)
    loss.backward()
    assert loss == 0 and not weight.grad.any()


@pytest.mark.parametrize("smoothing", [-0.1, 1.0])
def test_a_share_of_smoothing_out_of_range_is_refused(smoothing):
    with pytest.raises(ValueError, match="smoothing must be"):
        smoothed_output_loss(torch.ones(1, 2), torch.ones(3, 2), torch.tensor([1]), smoothing)


@pytest.mark.parametrize("dropped", [0.1, 0.2, 0.5, 0.9])
def test_dropout_keeps_the_mean_and_drops_its_share(dropped):
    torch.manual_seed(3)
    factors = kept((500, 401), dropped, torch.zeros(1))
    count, zeros = factors.numel(), (factors == 0).sum().item()
    spread = (dropped * (1 - dropped) / count) ** 0.5
    assert abs(zeros / count - dropped) < 5 * spread
    assert len(factors.unique()) == 2
    share = round(dropped * 2**16) / 2**16
    assert factors.max().item() == pytest.approx(1 / (1 - share))
    columns = (factors == 0).double().mean(0)  # of 500 draws each; four neighbours share one word of the generator
    assert (columns - dropped).abs().max() < 5 * (dropped * (1 - dropped) / 500) ** 0.5
    for shift in range(1, 5):
        one, other = (factors[:, shift:] == 0).double() - dropped, (factors[:, :-shift] == 0).double() - dropped
        assert abs((one * other).mean()) < 5 * dropped * (1 - dropped) / one.numel() ** 0.5


def test_dropout_of_nothing_draws_nothing_and_follows_the_seed():
    state = torch.get_rng_state()
    assert kept((3, 4), 0.0, torch.zeros(1)) is None
    assert torch.equal(state, torch.get_rng_state())
    draws = [torch.manual_seed(seed) and kept((3, 5), 0.4, torch.zeros(1)) for seed in (1, 1, 2)]
    assert torch.equal(draws[0], draws[1]) and not torch.equal(draws[0], draws[2])
    assert kept((3, 5), 0.4, torch.zeros(1, dtype=torch.float64)).dtype == torch.float64


def trained(trainer_class, precision="float32", double=False):
    torch.manual_seed(1)
    model = Transformer(TransformerConfig.tiny(30, dropout=0.0))
    settings = TrainingSettings(tokens=200, warmup=0.1, precision=precision)
    trainer = trainer_class(model.double() if double else model, [], settings)
    losses = []
    for _ in range(4):
        losses.append(trainer.train_step(PADDED))
        trainer.tokens += PADDED.target_tokens
    return losses, model


def test_steps_of_both_trainers_end_at_the_same_weights(monkeypatch):
    monkeypatch.setattr(Tensor, "float", Tensor.double)  # the readable step takes its loss in float32
    (losses, model), (fast_losses, fast_model) = trained(Trainer, double=True), trained(FastTrainer, double=True)
    assert fast_losses == pytest.approx(losses, rel=1e-12) and losses[-1] < losses[0]
    for one, other in zip(model.parameters(), fast_model.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-8)


def test_in_bfloat16_the_losses_agree_to_its_precision():
    losses, fast_losses = (trained(one, "bfloat16")[0] for one in (Trainer, FastTrainer))
    assert fast_losses == pytest.approx(losses, rel=0.02)


def test_a_run_is_resumed_exactly(tmp_path):
    encoded = [([5, 6], [7, 8]), ([9], [5, 5, 6]), ([6, 6, 6], [7])] * 4
    ended = []
    for interrupted in (False, True):
        torch.manual_seed(1)
        folder = tmp_path / str(interrupted)
        settings = TrainingSettings(tokens=120, tokens_per_batch=12, validate_every=40)

        def start(folder=folder, settings=settings):
            model = Transformer(TransformerConfig.tiny(30, dropout=0.2))
            return FastTrainer(model, encoded, settings, folder=folder)

        trainer = start()
        if interrupted:

            def stop(one):
                if one.tokens < 100:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                trainer.run(progress=False, on_validation=stop)
            trainer = start()
            trainer.resume()
        assert trainer.run(progress=False)
        ended.append(trainer.model.state_dict())
    assert all(torch.equal(ended[0][name], ended[1][name]) for name in ended[0])


def test_what_it_cannot_train_is_refused():
    settings = TrainingSettings(tokens=100)
    recurrent = RecurrentEncoderDecoder(RecurrentConfig.small(30))
    with pytest.raises(TypeError, match="train a RecurrentEncoderDecoder with Trainer"):
        FastTrainer(recurrent, [], settings)
    with pytest.raises(ValueError, match="more than the max_len=2"):
        fast_loss(model_of(max_len=2), PADDED, 0.1)


def test_a_loss_that_is_not_finite_stops_training():
    model = model_of().float()
    with torch.no_grad():
        model.output.weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match="the loss became nan"):
        FastTrainer(model, [], TrainingSettings(tokens=100)).train_step(PADDED)
