"""A translator told the truth: its surprises against the package's loss, its gradients in one pass and in many."""

import math

import pytest
import torch
import torch.nn.functional as F
from oracles import seeded
from tiny_translator import KNOWN, tiny_translator

from attention_book.data.batching import padded_batch
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.studies.training import told_the_truth
from attention_book.studies.training.told_the_truth import (
    Asked,
    asked,
    gradient_in_many_passes,
    gradient_in_one_pass,
)
from attention_book.training.losses import label_smoothed_cross_entropy
from attention_book.translation.translator import Translator


def test_each_row_reads_what_the_row_above_was_asked_for():
    rows = asked(tiny_translator(), "Come in!", "¡Pasa!")
    assert rows.read[0] == "<s>" and rows.wanted[-1] == "</s>"
    assert list(rows.read[1:]) == list(rows.wanted[:-1])
    assert "".join(rows.wanted[:-1]).replace("▁", " ").endswith("Pasa!")


@pytest.mark.parametrize("target", ["Me gustan los gatos.", "¡Pasa!"])
def test_the_mean_is_the_loss_of_the_package(target):
    translator = tiny_translator()
    subwords = translator.subwords
    batch = padded_batch([(subwords.encode("I like cats."), subwords.encode(target))])
    with torch.no_grad():
        wanted = label_smoothed_cross_entropy(translator.model(batch.src, batch.tgt_in), batch.tgt_out, 0.0)
    rows = asked(translator, "I like cats.", target)
    assert rows.mean == pytest.approx(wanted.item(), rel=1e-4)
    assert (rows.mean < 0.7) == (target == KNOWN["I like cats."])


def test_numbers_by_hand():
    numbers = Asked(["<s>", "a", "b"], ["a", "▁b", "</s>"], [0.5, 0.125, 0.25]).numbers()
    assert numbers["n_asked"] == 3 and numbers["dearest"] == "b"
    assert numbers["pair_loss"] == pytest.approx(2 * math.log(2))
    assert numbers["dearest_share"] == "50\xa0%" and numbers["two_dearest"] == "83\xa0%"
    assert numbers["two_dearest_pull"] == "76\xa0%"  # (7/8 + 3/4) of (1/2 + 7/8 + 3/4), which is 13/17


def test_a_pull_is_what_the_gradient_of_the_surprise_does_to_the_tokens_own_logit():
    translator = tiny_translator()
    subwords = translator.subwords
    batch = padded_batch([(subwords.encode("I like cats."), subwords.encode("¡Pasa!"))])
    with torch.no_grad():
        logits = translator.model(batch.src, batch.tgt_in)[0].double()
    logits.requires_grad_()
    F.cross_entropy(logits, batch.tgt_out[0], reduction="sum").backward()
    own = logits.grad.gather(-1, batch.tgt_out[0][:, None])[:, 0]
    rows = asked(translator, "I like cats.", "¡Pasa!")
    assert rows.pulls == pytest.approx((-own).tolist(), abs=1e-5)
    assert max(rows.pulls) > 0.5


def test_what_the_page_says_of_the_hedgehog():
    rows = asked(
        Translator.from_pretrained("en-es"), "We saw a hedgehog in the garden.", "Vimos un erizo en el jardín."
    )
    loss, pull = (dict(zip(rows.wanted, values, strict=True)) for values in (rows.losses, rows.pulls))
    assert loss["▁er"] / loss["▁un"] == pytest.approx(10, abs=0.5)
    assert 1.5 < pull["▁er"] / pull["▁un"] < 2
    assert {"izo", "▁er"} == set(sorted(loss, key=loss.get)[-2:]) == set(sorted(pull, key=pull.get)[-2:])
    assert sum(sorted(rows.losses)[-2:]) / rows.mean / 10 > 0.9  # two rows carry nearly the whole loss
    assert sum(sorted(rows.pulls)[-2:]) / sum(rows.pulls) < 0.7


def test_one_pass_and_many_give_one_gradient_and_without_the_mask_they_would_not(monkeypatch):
    model = seeded(lambda: Transformer(TransformerConfig.tiny(20, dropout=0.0))).double().eval()
    batch = padded_batch([([5, 6, 7], [8, 9, 10, 11])])
    given = (model, batch.src, batch.tgt_in, batch.tgt_out)
    one, many = gradient_in_one_pass(*given), gradient_in_many_passes(*given)
    assert max(p.abs().max() for p in one) > 1e-2
    for our, their in zip(one, many, strict=True):
        torch.testing.assert_close(our, their, rtol=1e-9, atol=1e-12)
    monkeypatch.setattr(Transformer, "_self_mask", lambda self, tgt, cache: (tgt != 0)[:, None, None, :])
    seen = gradient_in_one_pass(*given)
    assert any((our - their).abs().max() > 1e-4 for our, their in zip(seen, many, strict=True))


def test_the_pages_pair_has_six_questions_and_gives_one_gradient_either_way():
    state = torch.get_rng_state()
    given = told_the_truth.small_model_and_pair()
    assert torch.equal(torch.get_rng_state(), state)
    assert given[3].shape == (1, 6) and given[1].shape[0] == 1
    one, many = told_the_truth.gradient_in_one_pass(*given), told_the_truth.gradient_in_many_passes(*given)
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(one, many, strict=True))
