"""The loop: budgets, cuts, exact resumption, and what is refused."""

import pytest
import torch
from tiny_pairs import PAIRS

from attention_book.data.subwords import Subwords
from attention_book.models.config import TransformerConfig
from attention_book.training.together import loop
from attention_book.training.together.loop import CUTS, Shelves, examined, train_stack
from attention_book.training.together.stack import Stack
from attention_book.training.together.update import Recipe
from attention_book.training.trainer import TrainingError
from attention_book.translation.translator import Translator


@pytest.fixture(scope="module")
def shelves():
    subwords = Subwords.train((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
    return Shelves(PAIRS, subwords, 32, "cpu")


def stack_for(shelves, dropout=0.1):
    return Stack(TransformerConfig.tiny(len(shelves.subwords), dropout=dropout, max_len=32), [1, 2])


RECIPE = Recipe(tokens=3000, tokens_per_batch=64, peak_rate=3e-3, average=0.9)


def test_the_budget_is_spent_and_the_loss_falls(shelves):
    trained = train_stack(stack_for(shelves), RECIPE, shelves, 1, progress=False)
    assert RECIPE.tokens <= trained.tokens < RECIPE.tokens + 64
    assert len(trained.curve) == 20 and all(len(losses) == 2 for losses in trained.curve)
    assert all(last < first - 1 for first, last in zip(trained.curve[0], trained.curve[-1], strict=True))


def test_trained_models_translate_what_they_were_trained_on(shelves):
    recipe = Recipe(tokens=25_000, tokens_per_batch=64, peak_rate=3e-3)
    trained = train_stack(stack_for(shelves, dropout=0.0), recipe, shelves, 1, progress=False)
    for which in range(2):
        loss, written = examined(trained.model(which), shelves.subwords, PAIRS, "cpu")
        assert written == [pair.target for pair in PAIRS] and loss < 0.2
        translator = Translator(trained.model(which), shelves.subwords)
        assert translator.translate([pair.source for pair in PAIRS], beam_size=1) == written


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(shelves, tmp_path, monkeypatch):
    whole = train_stack(stack_for(shelves), RECIPE, shelves, 1, progress=False)
    keep, kept = loop._keep, []

    def keep_seven(*arguments):
        keep(*arguments)
        kept.append(1)
        if len(kept) == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(loop, "_keep", keep_seven)
    checkpoint = tmp_path / "checkpoint.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train_stack(stack_for(shelves), RECIPE, shelves, 1, checkpoint=checkpoint, progress=False)
    again = train_stack(stack_for(shelves), RECIPE, shelves, 1, checkpoint=checkpoint, progress=False)
    assert len(kept) == 20
    for one, other in zip(
        [*whole.parameters, *whole.stack.parameters()], [*again.parameters, *again.stack.parameters()], strict=True
    ):
        assert torch.equal(one, other)
    assert (whole.tokens, whole.steps, whole.curve) == (again.tokens, again.steps, again.curve)


def test_a_finished_run_is_read_back_and_not_trained_on(shelves, tmp_path):
    checkpoint = tmp_path / "checkpoint.safetensors"
    first = train_stack(stack_for(shelves), RECIPE, shelves, 1, checkpoint=checkpoint, progress=False)
    second = train_stack(stack_for(shelves), RECIPE, shelves, 1, checkpoint=checkpoint, progress=False)
    assert torch.equal(first.parameters[0], second.parameters[0]) and first.steps == second.steps


@pytest.mark.parametrize("change", ["recipe", "seed", "models"])
def test_a_checkpoint_of_another_run_is_refused_and_stays(shelves, tmp_path, change):
    checkpoint = tmp_path / "checkpoint.safetensors"
    train_stack(stack_for(shelves), RECIPE, shelves, 1, checkpoint=checkpoint, progress=False)
    before = checkpoint.read_bytes()
    stack = Stack(stack_for(shelves).config, [1]) if change == "models" else stack_for(shelves)
    recipe = Recipe(tokens=4000, tokens_per_batch=64) if change == "recipe" else RECIPE
    with pytest.raises(TrainingError, match="belongs to another run"):
        train_stack(stack, recipe, shelves, 2 if change == "seed" else 1, checkpoint=checkpoint, progress=False)
    assert checkpoint.read_bytes() == before


def test_a_loss_that_is_not_finite_stops_the_run(shelves):
    recipe = Recipe(tokens=3000, tokens_per_batch=64, peak_rate=1e6, clip=1e9)
    with pytest.raises(TrainingError, match="lower the peak rate"):
        train_stack(stack_for(shelves), recipe, shelves, 1, progress=False)


def test_nothing_to_train_on_is_said(shelves):
    empty = Shelves([], shelves.subwords, 32, "cpu")
    with pytest.raises(TrainingError, match="nothing to train on"):
        train_stack(stack_for(shelves), RECIPE, empty, 1, progress=False)


def test_cuts_differ_from_epoch_to_epoch_and_come_back(shelves):
    def rows(share, epoch):
        return sorted(tuple(row) for t in shelves.cut(share, epoch).values() for row in t.src.tolist())

    assert rows(0.0, 0) == rows(0.0, 1)
    assert rows(0.5, 0) != rows(0.5, 1)
    assert rows(0.5, 0) == rows(0.5, CUTS)
