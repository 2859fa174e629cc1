"""Models side by side compute what each would compute alone: logits, losses, gradients, updates."""

import math

import pytest
import torch

from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.training.losses import label_smoothed_cross_entropy
from attention_book.training.together.lessons import losses, losses_and_gradient
from attention_book.training.together.stack import Stack
from attention_book.training.together.update import Recipe, Update, greedy
from attention_book.translation.decoding import greedy_decode

SEEDS = [3, 8]
VOCABULARY = 40


def config(**changes):
    return TransformerConfig.tiny(VOCABULARY, **{"dropout": 0.0, **changes})


def batches(models=2, seed=0):
    """Padded sources and targets with ``<s>`` and ``</s>``, other ones for each model."""
    draw = torch.Generator().manual_seed(seed)
    src = torch.zeros(models, 3, 6, dtype=torch.int64)
    tgt = torch.zeros(models, 3, 7, dtype=torch.int64)
    for model in range(models):
        for row, (m, n) in enumerate([(5, 4), (2, 5), (0, 0)]):
            src[model, row, : m + 1] = torch.cat(
                [torch.randint(4, VOCABULARY, (m,), generator=draw), torch.tensor([2])]
            )
            middle = torch.randint(4, VOCABULARY, (n,), generator=draw)
            tgt[model, row, : n + 2] = torch.cat([torch.tensor([1]), middle, torch.tensor([2])])
    return src, tgt


def tgt_in(tgt):
    return torch.where(tgt[..., :-1] == 2, 0, tgt[..., :-1])


def alone(seed, **changes):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Transformer(config(**changes)).double()


def test_each_starts_as_it_would_alone():
    stack = Stack(config(), SEEDS)
    for which, seed in enumerate(SEEDS):
        wanted = dict(alone(seed).float().named_parameters())
        for name, parameter in stack.model(which).named_parameters():
            assert torch.equal(parameter, wanted[name])


def test_logits_are_those_of_each_model_for_its_own_batch():
    stack = Stack(config(), SEEDS, dtype=torch.float64)
    src, tgt = batches()
    found = stack.logits(src, tgt_in(tgt), training=True)
    for which, seed in enumerate(SEEDS):
        wanted = alone(seed).eval()(src[which], tgt_in(tgt)[which])
        real = tgt[which, :, 1:] != 0
        torch.testing.assert_close(found[which][real], wanted[real], rtol=0, atol=1e-12)


def test_no_model_reads_another_ones_batch():
    stack = Stack(config(), SEEDS, dtype=torch.float64)
    src, tgt = batches()
    before = stack.logits(src, tgt_in(tgt), training=False)
    src[1] = src[1].flip(0)
    after = stack.logits(src, tgt_in(tgt), training=False)
    assert torch.equal(before[0], after[0]) and not torch.equal(before[1], after[1])


def test_dropout_differs_between_models_and_is_off_in_evaluation():
    stack = Stack(config(dropout=0.5, attention_dropout=0.5), [3, 3], dtype=torch.float64)
    src, tgt = batches()
    src, tgt = src[:1].expand(2, -1, -1), tgt[:1].expand(2, -1, -1)
    torch.manual_seed(0)
    one, other = stack.logits(src, tgt_in(tgt), training=True)
    assert not torch.allclose(one, other)
    one, other = stack.logits(src, tgt_in(tgt), training=False)
    torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [{"norm": "post"}, {"positions": "rotary"}, {"tie_embeddings": False}, {"bias": False}, {"d_k": 8}, {"d_v": 8}],
)
def test_another_kind_of_model_is_refused_by_name(change):
    with pytest.raises(ValueError, match=f"usual {next(iter(change))} only"):
        Stack(config(**change), [1])


def made_up(agreement, seed=1):
    draw = torch.Generator().manual_seed(seed)
    logits = torch.randn(2, 4, 5, 9, generator=draw, dtype=torch.float64)
    targets = torch.randint(1, 9, (2, 4, 5), generator=draw)
    targets[:, 1, 3:] = 0
    lesson = torch.rand(2, 4, 5, 9, generator=draw, dtype=torch.float64).softmax(-1)
    if agreement:
        again = torch.randn(2, 4, 5, 9, generator=draw, dtype=torch.float64)
        logits = torch.cat([logits, again], 1)
        targets, lesson = torch.cat([targets, targets], 1), torch.cat([lesson, lesson], 1)
    return logits.requires_grad_(), targets, lesson


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_alone_the_loss_is_the_smoothed_cross_entropy(smoothing):
    logits, targets, _ = made_up(0)
    wanted = [label_smoothed_cross_entropy(*one, smoothing) for one in zip(logits, targets, strict=True)]
    torch.testing.assert_close(losses(logits, targets, smoothing), torch.stack(wanted), rtol=1e-12, atol=0)


def test_the_divergences_are_torch_s_and_the_lesson_is_a_cross_entropy():
    logits, targets, lesson = made_up(5.0)
    real = targets[:, :4] != 0
    one, two = logits.log_softmax(-1).chunk(2, dim=1)
    both = [
        torch.nn.functional.kl_div(a, b, log_target=True, reduction="none").sum(-1) for a, b in ((one, two), (two, one))
    ]
    apart = (sum(both) * real).sum((1, 2)) / real.sum((1, 2))
    wanted = losses(logits, targets, 0.1) + 5 / 4 * apart
    torch.testing.assert_close(losses(logits, targets, 0.1, agreement=5.0), wanted, rtol=1e-12, atol=0)
    cross = torch.nn.functional.cross_entropy(logits.flatten(0, 2), lesson.flatten(0, 2), reduction="none").view(
        2, 8, 5
    )
    told = (cross * (targets != 0)).sum((1, 2)) / (targets != 0).sum((1, 2))
    wanted = 0.3 * losses(logits, targets, 0.1) + 0.7 * told
    torch.testing.assert_close(losses(logits, targets, 0.1, taught=0.7, lesson=lesson), wanted, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("smoothing", "agreement", "taught"), [(0, 0, 0), (0.1, 0, 0), (0.1, 5, 0), (0.1, 0, 0.6), (0.2, 3, 0.4), (0, 2, 1)]
)
def test_the_quick_gradient_is_autograd_s(smoothing, agreement, taught):
    logits, targets, lesson = made_up(agreement)
    given = (float(smoothing), float(agreement), float(taught), lesson)
    wanted = losses(logits, targets, *given)
    (gradient,) = torch.autograd.grad(wanted.sum(), logits)
    found, quick = losses_and_gradient(logits, targets, *given)
    torch.testing.assert_close(found, wanted.detach(), rtol=1e-12, atol=0)
    torch.testing.assert_close(quick, gradient, rtol=0, atol=1e-14)


def test_a_batch_of_padding_alone_has_no_loss_and_no_gradient():
    logits, targets, _ = made_up(0)
    found, gradient = losses_and_gradient(logits, torch.zeros_like(targets), 0.1)
    assert not found.any() and not gradient.any()


def one_alone(seed, batch, rates, recipe):
    """The same updates by torch's own optimizer and clipping, for one model."""
    model = alone(seed)
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": recipe.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    src, tgt = batch
    for rate in rates:
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        label_smoothed_cross_entropy(model(src, tgt_in(tgt)), tgt[:, 1:], recipe.smoothing).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimizer.step()
    return model


def test_updates_are_those_of_each_model_trained_alone():
    recipe = Recipe(tokens=1, clip=0.5, weight_decay=0.1)
    stack = Stack(config(), SEEDS, dtype=torch.float64)
    update = Update(stack, recipe)
    src, tgt = batches()
    rates = [1e-3, 2e-3, 5e-4]
    for rate in rates:
        update(src, tgt, rate)
    for which, seed in enumerate(SEEDS):
        wanted = dict(one_alone(seed, (src[which], tgt[which]), rates, recipe).named_parameters())
        for name, parameter in stack.model(which).double().named_parameters():
            torch.testing.assert_close(parameter, wanted[name], rtol=0, atol=1e-6)


def test_the_average_follows_the_parameters():
    stack = Stack(config(), SEEDS, dtype=torch.float64)
    update = Update(stack, Recipe(tokens=1, average=0.75))
    start = stack.matrices.detach().clone()
    update(*batches(), 1e-3)
    wanted = 0.75 * start + 0.25 * stack.matrices.detach()
    torch.testing.assert_close(update.averaged[0], wanted, rtol=0, atol=1e-15)
    assert Update(stack, Recipe(tokens=1)).averaged[0] is stack.matrices


def test_the_lesson_is_the_mean_of_all_teachers():
    teachers = [Stack(config(dropout=0.5), [5, 6], dtype=torch.float64), Stack(config(), [7], dtype=torch.float64)]
    update = Update(Stack(config(), SEEDS, dtype=torch.float64), Recipe(tokens=1, taught=0.5), teachers)
    src, tgt = batches()
    found = update._lesson(src, tgt_in(tgt))
    for which in range(2):
        each = [alone(seed).eval()(src[which], tgt_in(tgt)[which]).softmax(-1) for seed in (5, 6, 7)]
        real = tgt[which, :, 1:] != 0
        torch.testing.assert_close(found[which][real], torch.stack(each).mean(0)[real], rtol=0, atol=1e-12)


def test_a_pupil_without_references_comes_to_predict_what_its_teacher_does():
    teacher = Stack(config(), [5], dtype=torch.float64)
    with torch.no_grad():
        teacher.matrices *= 1.5
    pupil = Stack(config(), SEEDS, dtype=torch.float64)
    update = Update(pupil, Recipe(tokens=1, taught=1.0), [teacher])
    src, tgt = batches()
    real = tgt[..., 1:] != 0

    def apart():
        told = update._lesson(src, tgt_in(tgt))
        with torch.no_grad():
            own = pupil.logits(src, tgt_in(tgt), training=False).log_softmax(-1)
        return (told * (told.log() - own)).sum(-1)[real].mean().item()

    before = apart()
    for _ in range(60):
        update(src, tgt, 3e-3)
    assert apart() < before / 5


def test_teachers_and_their_share_belong_together():
    stack = Stack(config(), SEEDS)
    for recipe, teachers in ((Recipe(tokens=1, taught=0.5), []), (Recipe(tokens=1), [stack])):
        with pytest.raises(ValueError, match="teachers are given where"):
            Update(stack, recipe, teachers)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": 0}, "tokens must be positive"),
        ({"peak_rate": -1.0}, "peak_rate must be positive"),
        ({"clip": math.nan}, "clip must be positive"),
        ({"smoothing": 1.0}, "smoothing must be at least 0"),
        ({"subword_dropout": -0.1}, "subword_dropout must be at least 0"),
        ({"taught": 1.1}, "taught from 0 to 1"),
        ({"agreement": -1.0}, "agreement >= 0"),
    ],
)
def test_a_recipe_that_is_none_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Recipe(**{"tokens": 1, **change})


def test_greedy_from_the_beginning_is_greedy_search():
    model = alone(4).eval()
    with torch.no_grad():
        model.src_embedding.weight *= 2
    src = batches()[0][0]
    wanted = [[t for t in h.tokens if t != 2] for h in greedy_decode(model, src, max_len=9)]
    assert greedy(model, src, most=9) == wanted
