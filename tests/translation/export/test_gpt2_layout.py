"""Our weights in the layout of GPT-2: every name once, every shape right, and GPT-2's own formulas give our logits."""

import numpy as np
import pytest
import torch

from attention_book.models.config import TransformerConfig
from attention_book.models.one_stack.decoder_only import DecoderOnly
from attention_book.translation.export.gpt2_layout import (
    SETTINGS,
    from_gpt2_layout,
    layout_names,
    to_gpt2_layout,
)

D, LAYERS, VOCABULARY, LONGEST = 8, 2, 20, 16


def model(seed=0, prefix=False, **changes):
    sizes = {"d_model": D, "n_heads": 2, "d_ff": 32, "n_layers": LAYERS, "dropout": 0.0, "max_len": LONGEST}
    machine = DecoderOnly(TransformerConfig(VOCABULARY, **sizes | changes), prefix).double().eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in machine.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return machine


def test_every_parameter_of_ours_stands_there_and_only_the_embedding_twice():
    named = [part for parts in layout_names(LAYERS).values() for part in parts]
    own = [name for name, _ in model().named_parameters()]
    assert sorted(named) == sorted([*own, "embedding.weight"])


def test_the_shapes_are_those_of_gpt_2():
    layer = {
        "ln_1.weight": (D,), "ln_1.bias": (D,), "attn.c_attn.weight": (D, 3 * D), "attn.c_attn.bias": (3 * D,),
        "attn.c_proj.weight": (D, D), "attn.c_proj.bias": (D,), "ln_2.weight": (D,), "ln_2.bias": (D,),
        "mlp.c_fc.weight": (D, 4 * D), "mlp.c_fc.bias": (4 * D,), "mlp.c_proj.weight": (4 * D, D),
        "mlp.c_proj.bias": (D,),
    }  # fmt: skip
    wanted = {f"transformer.h.{n}.{name}": shape for n in range(LAYERS) for name, shape in layer.items()}
    wanted |= {"transformer.wte.weight": (VOCABULARY, D), "transformer.wpe.weight": (LONGEST, D)}
    wanted |= {"transformer.ln_f.weight": (D,), "transformer.ln_f.bias": (D,), "lm_head.weight": (VOCABULARY, D)}
    assert {name: tuple(found.shape) for name, found in to_gpt2_layout(model()).items()} == wanted


def gpt2(layout, tokens, n_heads):
    """GPT-2's forward pass in NumPy, from the names of the layout alone."""
    w = {name.removeprefix("transformer."): array.numpy() for name, array in layout.items()}

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt(centred.var(-1, keepdims=True) + SETTINGS["layer_norm_epsilon"])
        return centred / scale * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x, name):
        return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

    x = w["wte.weight"][tokens] + w["wpe.weight"][: len(tokens)]
    for n in range(LAYERS):
        q, k, v = np.split(linear(norm(x, f"h.{n}.ln_1"), f"h.{n}.attn.c_attn"), 3, axis=-1)
        outputs = []
        for head in np.split(np.arange(D), n_heads):
            scores = q[:, head] @ k[:, head].T / np.sqrt(len(head))
            scores[np.triu_indices(len(tokens), 1)] = -np.inf
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            outputs.append(weights / weights.sum(-1, keepdims=True) @ v[:, head])
        x = x + linear(np.concatenate(outputs, -1), f"h.{n}.attn.c_proj")
        x = x + linear(np.maximum(linear(norm(x, f"h.{n}.ln_2"), f"h.{n}.mlp.c_fc"), 0), f"h.{n}.mlp.c_proj")
    return norm(x, "ln_f") @ w["lm_head.weight"].T


def test_the_formulas_of_gpt_2_give_our_logits():
    machine = model()
    tokens = [5, 6, 7, 2, 1, 9, 10]
    ours = machine.stream(torch.tensor([tokens[:4]]), torch.tensor([tokens[4:]]))[0]
    np.testing.assert_allclose(gpt2(to_gpt2_layout(machine), tokens, 2), ours.detach().numpy(), rtol=1e-9, atol=1e-9)


def test_there_and_back_is_the_same_model():
    machine, other = model(), model(seed=1)
    from_gpt2_layout(to_gpt2_layout(machine), other)
    for name, parameter in other.named_parameters():
        assert torch.equal(parameter, dict(machine.named_parameters())[name]), name


def test_what_it_refuses():
    with pytest.raises(ValueError, match="causal pre-norm models with biases"):
        to_gpt2_layout(model(norm="post"))
    with pytest.raises(ValueError, match="causal pre-norm models with biases"):
        to_gpt2_layout(model(bias=False))
    with pytest.raises(ValueError, match="causal pre-norm models with biases"):
        to_gpt2_layout(model(prefix=True))
    layout = to_gpt2_layout(model())
    del layout["lm_head.weight"]
    with pytest.raises(ValueError, match=r"not a layout of 2 layers: lm_head\.weight"):
        from_gpt2_layout(layout, model())


@pytest.mark.parametrize(
    ("name", "told"),
    [("transformer.wte.weight", "not tied"), ("lm_head.weight", "not tied"), ("transformer.wpe.weight", "sinusoids")],
)
def test_weights_that_our_model_would_lose_are_refused(name, told):
    """Trained on in the other library, both embeddings and the positions go ways of their own."""
    layout = to_gpt2_layout(model())
    layout[name] = layout[name] + 0.1
    with pytest.raises(ValueError, match=told):
        from_gpt2_layout(layout, model())
