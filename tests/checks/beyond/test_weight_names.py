"""The checks of the same weights under other names: they pass what is right in any form and name what is wrong."""

import numpy as np
import pytest
import torch

from attention_book.checks.beyond import weight_names as checks

from ..diagnosis import diagnosis

SIZES = {"columns": 2304, "rows": 3072, "fit": 3}


def test_sizes_pass():
    assert checks.check_sizes(SIZES)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": 768}, "side by side"),
        ({"rows": 768}, "(in, out)"),
        ({"fit": 2}, "is square, whatever"),
        ({"fit": 4}, "three times as wide"),
        ({"fit": 1}, "are square, too"),
        ({"fit": 0}, "as many rows as columns"),
        ({"fit": ...}, "still to be predicted"),
    ],
)
def test_sizes_name_the_fault(changed, message):
    assert message in diagnosis(checks.check_sizes(SIZES | changed))


def by_hand(joined):
    d = len(joined)
    return [torch.tensor([[float(joined[i, n * d + o]) for i in range(d)] for o in range(d)]) for n in range(3)]


@pytest.mark.parametrize(
    "right",
    [
        lambda joined: joined.T.chunk(3),
        lambda joined: tuple(part.T for part in joined.chunk(3, dim=1)),
        lambda joined: joined.T.reshape(3, len(joined), len(joined)),
        lambda joined: [part.T for part in np.split(joined.numpy(), 3, axis=1)],
        by_hand,
    ],
)
def test_a_split_passes_in_any_form(right):
    assert checks.check_split(right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda joined: joined.chunk(3, dim=1), "transpose each"),
        (lambda joined: joined.chunk(3), "Expected 3 values"),
        (lambda joined: [joined] * 3, "wrong shape"),
        (lambda joined: joined, "Expected 3 values"),
        (lambda joined: [joined.T[n::3] for n in range(3)], "every third one"),
        (lambda joined: [joined[:, n::3] for n in range(3)], "did not transpose"),
        (lambda joined: [joined.T.chunk(3)[n] for n in (1, 0, 2)], "queries come first"),
        (lambda joined: joined.T.chunk(3)[::-1], "turned round"),
        (lambda joined: tuple(joined.reshape(3, len(joined), -1)), "A reshape moves"),
        (lambda joined: joined.reshape(3, len(joined), -1).transpose(1, 2), "and transpose each"),
        (lambda joined: None, "`return`"),
    ],
)
def test_a_split_names_the_fault(wrong, message):
    assert message in diagnosis(checks.check_split(wrong))


def heads_exchanged(layout):
    layout = dict(layout)
    places = torch.tensor([4, 5, 6, 7, 0, 1, 2, 3])
    joined = torch.cat([places, 8 + places, 16 + places])
    for kind in ("weight", "bias"):
        layout[f"transformer.h.0.attn.c_attn.{kind}"] = layout[f"transformer.h.0.attn.c_attn.{kind}"][..., joined]
    layout["transformer.h.0.attn.c_proj.weight"] = layout["transformer.h.0.attn.c_proj.weight"][places]
    return layout


def keys_shifted(layout):
    shift = torch.cat([torch.zeros(8), torch.ones(8), torch.zeros(8)])
    return layout | {"transformer.h.0.attn.c_attn.bias": layout["transformer.h.0.attn.c_attn.bias"] + shift}


def units_exchanged(layout):
    names = ("mlp.c_fc.weight", "mlp.c_fc.bias", "mlp.c_proj.weight")
    first, bias, second = (f"transformer.h.0.{name}" for name in names)
    return layout | {first: layout[first].flip(1), bias: layout[bias].flip(0), second: layout[second].flip(0)}


def queries_doubled(layout):
    factor = torch.cat([torch.full((8,), 2.0), torch.full((8,), 0.5), torch.ones(8)])
    names = [f"transformer.h.0.attn.c_attn.{kind}" for kind in ("weight", "bias")]
    return layout | {name: layout[name] * factor for name in names}


def places_shifted(layout):
    return layout | {"transformer.wpe.weight": layout["transformer.wpe.weight"] + 1}  # which every norm takes out


@pytest.mark.parametrize("right", [heads_exchanged, keys_shifted, units_exchanged, queries_doubled, places_shifted])
def test_other_weights_of_the_same_model_pass(right):
    assert checks.check_other_weights(right)


def changed(name, change):
    return lambda layout: layout | {name: change(layout[name])}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda layout: layout, "No number has changed"),
        (changed("lm_head.weight", lambda a: a + 1e-4), "No number has changed"),
        (changed("lm_head.weight", lambda a: a * 1.2), "another model"),
        (changed("lm_head.weight", lambda a: a + 0.2), "The probabilities stay"),
        (changed("transformer.h.0.attn.c_proj.weight", lambda a: a.T), "another model"),
        (changed("transformer.h.0.mlp.c_fc.weight", lambda a: a.T), "a wrong shape"),
        (changed("transformer.wpe.weight", lambda a: torch.cat([a[:-1], a[-1:] * 2])), "another model"),
        (changed("lm_head.weight", lambda a: a * float("nan")), "NaN"),
        (lambda layout: {"lm_head.weight": layout["lm_head.weight"]}, "is missing"),
        (lambda layout: layout | {"mine": torch.zeros(1)}, "`mine`"),
        (lambda layout: 3, "Return a layout"),
        (lambda layout: layout.pop("lm_head.weight"), "in place"),
    ],
)
def test_other_weights_name_the_fault(wrong, message):
    assert message in diagnosis(checks.check_other_weights(wrong))
