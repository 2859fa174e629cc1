"""A forced beginning: it is kept, what follows is the model's own, and its price is counted."""

import pytest
import torch
from tiny_translator import tiny_translator

from attention_book.models.search_interface import SearchModel, inference
from attention_book.translation.decoding import beam_search, greedy_decode
from attention_book.translation.forced_beginning import ForcedBeginning


@pytest.fixture(scope="module")
def case():
    translator = tiny_translator()
    src = torch.tensor([[*translator.subwords.encode("I like cats."), translator.subwords.eos_id]])
    return translator.model, src, tuple(translator.subwords.encode("Te "))


def test_without_a_beginning_nothing_changes(case):
    model, src, _ = case
    free = ForcedBeginning(model, ())
    assert isinstance(free, SearchModel)
    assert greedy_decode(free, src) == greedy_decode(model, src)
    assert beam_search(free, src, 3) == beam_search(model, src, 3)


@pytest.mark.parametrize("beam", [1, 3])
def test_the_beginning_is_kept_and_its_price_counted(case, beam):
    model, src, ids = case
    (found,) = beam_search(ForcedBeginning(model, ids), src, beam)
    assert found.tokens[: len(ids)] == ids
    fed = torch.tensor([[model.config.bos_id, *found.tokens[:-1]]])
    with inference(model):
        log_probs = model(src, fed).log_softmax(dim=-1)
    told = log_probs.gather(2, torch.tensor([found.tokens])[..., None]).sum()
    assert found.log_prob == pytest.approx(float(told), abs=1e-4)


def test_after_the_beginning_each_piece_is_the_models_own_choice(case):
    model, src, ids = case
    (found,) = greedy_decode(ForcedBeginning(model, ids), src)
    for t in range(len(ids), len(found.tokens)):
        with inference(model):
            scores = model(src, torch.tensor([[model.config.bos_id, *found.tokens[:t]]]))[0, -1]
        scores[[model.config.pad_id, model.config.bos_id]] = -torch.inf
        assert int(scores.argmax()) == found.tokens[t]
