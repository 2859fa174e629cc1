"""Factors of a translation against the search's own account and against a pass over each prefix."""

import math

import pytest
import torch

from attention_book.translation.token_probabilities import chance_of, factors


def test_the_product_is_the_searchs_probability(translator):
    found = factors(translator, "I like cats.")
    told = translator.translate("I like cats.", return_attention=True)
    assert [factor.token for factor in found] == told.target_tokens
    assert [math.log(factor.probability) for factor in found] == pytest.approx(told.log_probs.tolist(), abs=1e-4)


def test_each_factor_needs_the_tokens_before_it_only(translator):
    """Fed the prefix alone, the model gives the last token the same probability."""
    subwords, model = translator.subwords, translator.model
    src = torch.tensor([[*subwords.encode("I like cats."), subwords.eos_id]])
    tgt = [*subwords.encode("Me gustan los perros."), subwords.eos_id]
    for place, factor in enumerate(factors(translator, "I like cats.", "Me gustan los perros.")):
        with torch.no_grad():
            p = model(src, torch.tensor([[subwords.bos_id, *tgt[:place]]]))[0, -1].softmax(dim=-1)
        assert factor.probability == pytest.approx(float(p[tgt[place]]), rel=1e-3)
        assert factor.likeliest[0][1] == pytest.approx(float(p.max()), rel=1e-3)


def test_the_likeliest_come_in_order_and_may_leave_the_token_out(translator):
    (surprise,) = [f for f in factors(translator, "I like cats.", "Me gustan los perros.", 3) if f.token == "▁perros"]
    probabilities = [p for _, p in surprise.likeliest]
    assert len(probabilities) == 3 and probabilities == sorted(probabilities, reverse=True)
    assert surprise.likeliest[0][0] == "▁gatos" and surprise.probability < 0.05


@pytest.mark.parametrize(("arguments", "said"), [(("", "Hola."), "not empty"), (("Hello.", "Hola.", 0), "at least 1")])
def test_bad_input_is_named(translator, arguments, said):
    with pytest.raises(ValueError, match=said):
        factors(translator, *arguments)


def test_a_chance_is_the_factor_of_the_next_words_first_piece(translator):
    begun, word = "Él fue a la", "orilla"
    source = "He went to the bank of the river."
    factor = factors(translator, source, f"{begun} {word}")[len(translator.subwords.encode(begun))]
    assert chance_of(translator, source, begun, word) == pytest.approx(factor.probability, rel=1e-4)
