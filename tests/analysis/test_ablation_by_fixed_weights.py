"""Weights fixed beforehand: what they are, that nothing else changes, and that the model comes back as it was."""

import pytest
import torch
from oracles import close, seeded

from attention_book.analysis.ablation import KINDS, WAYS, attentions, even_weights, fixed, own_weights
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.translation.shipped_translator import shipped

SRC = torch.tensor([[5, 6, 7, 2], [8, 9, 2, 0]])
TGT = torch.tensor([[1, 4, 5, 6, 7], [1, 9, 8, 0, 0]])


@pytest.fixture
def model():
    return seeded(lambda: Transformer(TransformerConfig.tiny())).double().eval().requires_grad_(False)


@pytest.mark.parametrize("use", KINDS)
def test_even_weights_share_a_row_among_the_keys_that_may_be_seen(model, use):
    before = model.attention_weights(SRC, TGT)
    with even_weights(model, use):
        after = model.attention_weights(SRC, TGT)
    may = (before[use] > 0).double()
    close(after[use], may / may.sum(dim=-1, keepdim=True))
    assert not torch.allclose(before[use], after[use])
    if use == "cross":
        assert torch.equal(after["encoder_self"], before["encoder_self"])


@pytest.mark.parametrize("use", ["encoder_self", "decoder_self"])
def test_own_weights_give_what_an_identity_matrix_gives(model, use):
    """Against the formula: W^O of each position's own value, at the first layer, where the input is the embedding."""
    attention = attentions(model)[use, 0]
    kept = {}
    hook = attention.register_forward_hook(lambda module, inputs, output: kept.update(x=inputs[0], y=output[0]))
    with own_weights(model, use):
        model(SRC, TGT)
    hook.remove()
    close(kept["y"], attention.w_o(attention.w_v(kept["x"])))
    x = kept["x"][:, :1]  # a sequence of one position has no other weights than the identity
    close(attention(x)[0], kept["y"][:, :1])


def test_under_own_weights_no_position_feels_another(model):
    other = SRC.clone()
    other[0, 3] = 11
    with own_weights(model, "encoder_self"):
        a, b = model.encode(SRC).states, model.encode(other).states
    assert torch.equal(a[0, :3], b[0, :3]) and not torch.equal(a[0, 3], b[0, 3])


@pytest.mark.parametrize("use", KINDS)
def test_silent_attention_adds_its_bias_alone(model, use):
    kept = []
    hooks = [
        attention.register_forward_hook(lambda module, inputs, output: kept.append((module.w_o.bias, output[0])))
        for (kind, _), attention in attentions(model).items()
        if kind == use
    ]
    with fixed(model, use, "silent"):
        model(SRC, TGT)
    for hook in hooks:
        hook.remove()
    assert len(kept) == model.config.n_layers
    for bias, output in kept:
        close(output, bias.expand_as(output))


def test_a_silent_cross_attention_knows_nothing_of_the_source(model):
    with fixed(model, "cross", "silent"):
        assert torch.equal(model(SRC, TGT), model(SRC.flip(0), TGT))
    assert not torch.allclose(model(SRC, TGT), model(SRC.flip(0), TGT))


@pytest.mark.parametrize("way", WAYS)
def test_the_model_comes_back_even_after_an_accident(model, way):
    before = model(SRC, TGT)
    with pytest.raises(ZeroDivisionError), fixed(model, "decoder_self", way):
        changed = model(SRC, TGT)
        raise ZeroDivisionError
    assert torch.equal(model(SRC, TGT), before)
    assert torch.equal(changed, before) == (way == "chosen")


def test_a_cached_search_sees_the_same_weights(model):
    for use in KINDS:
        for way in ("even", "silent", *(["itself"] if use != "cross" else [])):
            with fixed(model, use, way), torch.no_grad():
                state = model.start(model.encode(SRC[:1]))
                for token in TGT[0]:
                    log_probs, state = model.step(token[None], state)
                close(log_probs, model(SRC[:1], TGT[:1])[:, -1].log_softmax(-1), atol=1e-10)


def test_what_cannot_be_is_refused(model):
    with pytest.raises(ValueError, match="queries are not among the keys"), own_weights(model, "cross"):
        pass
    with pytest.raises(ValueError, match="no use of attention called 'self'"), even_weights(model, "self"):
        pass
    with pytest.raises(ValueError, match="no way called 'odd'"):
        fixed(model, "cross", "odd")


def test_on_one_sentence_the_page_says_what_each_silence_does():
    translator, written = shipped(), {}
    for use in ("encoder_self", "decoder_self", "cross"):
        with fixed(translator.model, use, "silent"):
            written[use] = translator.translate("I like old books.")
    assert written["encoder_self"] == translator.translate("I like old books.") == "Me gustan los libros viejos."
    assert written["decoder_self"].count("libros") > 1 and "libros" not in written["cross"]


def test_without_the_source_all_sentences_are_one_and_without_the_encoders_attention_a_word_loses_its_neighbours():
    translator = shipped()
    nouns = ("cats", "dogs", "old books", "the cat that I saw")
    whole = {noun: translator.translate(f"I like {noun}.") for noun in nouns}
    chases = ["The cat chased the horse.", "The horse chased the cat."]
    chased = ["El gato persiguió al caballo.", "El caballo persiguió al gato."]
    can, door = "I can open the can.", "The woman who lives next door is a doctor."
    lost = {can: ("lata", "llave"), door: ("al lado", "puerta siguiente")}
    survivors = set(nouns)
    for use, way in (("encoder_self", "even"), ("encoder_self", "silent"), ("decoder_self", "even"),
                     ("decoder_self", "silent"), ("cross", "even")):  # fmt: skip
        with fixed(translator.model, use, way):
            survivors &= {noun for noun in nouns if translator.translate(f"I like {noun}.") == whole[noun]}
            if (use, way) == ("encoder_self", "silent"):
                assert translator.translate(chases) == chased
                assert all(silent in translator.translate(text) for text, (_, silent) in lost.items())
    assert survivors == {"cats", "dogs"} and translator.translate(chases) == chased
    assert all(word in translator.translate(text) for text, (word, _) in lost.items())
    with fixed(translator.model, "cross", "silent"):
        assert len({translator.translate(f"I like {noun}.") for noun in nouns}) == 1
