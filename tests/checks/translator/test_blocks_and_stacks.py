"""The checks of the chapter on blocks and stacks: they pass what is right and name what is wrong."""

import pytest
import torch
from global_state import unchanged_state

from attention_book.checks.translator import blocks_and_stacks as checks
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer

from ..diagnosis import diagnosis

SHAPES = {
    "memory": (2, 7, 512),
    "decoder_layer": (2, 5, 512),
    "cross_weights": (2, 8, 5, 7),
    "inner": (2, 5, 2048),
    "logits": (2, 5, 37000),
}


def test_the_shapes_are_those_of_the_base_model():
    model, found = Transformer(TransformerConfig.base(n_layers=1)).eval().requires_grad_(False), {}
    layer = model.decoder.layers[0]
    layer.feed_forward.w_1.register_forward_hook(lambda _, __, out: found.update(inner=tuple(out.shape)))
    src, tgt = torch.ones(2, 7, dtype=torch.long), torch.ones(2, 5, dtype=torch.long)
    memory = model.encode(src)
    states, (_, cross) = layer(torch.ones(2, 5, 512), memory.states, need_weights=True)
    logits = model.decode(tgt, memory)
    found |= {"memory": tuple(memory.states.shape), "decoder_layer": tuple(states.shape)}
    assert found | {"cross_weights": tuple(cross.shape), "logits": tuple(logits.shape)} == SHAPES


@pytest.mark.parametrize("made", [tuple, list, torch.Size])
def test_shapes_pass(made):
    assert checks.check_shapes({name: made(shape) for name, shape in SHAPES.items()})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"memory": (2, 5, 512)}, "a row per source position"),
        ({"memory": (6, 2, 7, 512)}, "follow one another"),
        ({"memory": (2, 42, 512)}, "do not make the sequence longer"),
        ({"decoder_layer": (2, 7, 512)}, "each query gets one output"),
        ({"decoder_layer": (2, 12, 512)}, "not put beside the target"),
        ({"cross_weights": (2, 8, 7, 5)}, "the target asks"),
        ({"cross_weights": (2, 5, 7)}, "each of the 8 heads"),
        ({"cross_weights": (2, 8, 5, 5)}, "keys come from the source"),
        ({"cross_weights": (8, 5, 7)}, "Each pair of the batch".lower()),
        ({"inner": (2, 5, 512)}, "inside it is wider"),
        ({"inner": (2, 10240)}, "not flattened"),
        ({"inner": (5, 2048)}, "two targets"),
        ({"logits": (2, 37000)}, "not the last one alone"),
        ({"logits": (2, 7, 37000)}, "a row per target position"),
        ({"logits": (2, 5, 512)}, "a score per subword"),
        ({"logits": (3,)}, "`logits` is not (3,)"),
        ({"memory": ...}, "still open"),
        ({"memory": 7}, "a tuple of whole numbers"),
        ({"memory": (2.0, 7, 512)}, "a tuple of whole numbers"),
        ({"memory": "(2, 7, 512)"}, "a tuple of whole numbers"),
    ],
)
def test_wrong_shapes_are_named(wrong, message):
    assert message in diagnosis(checks.check_shapes(SHAPES | wrong))


def test_what_is_no_dictionary_of_shapes_is_named():
    assert "a shape for each of" in diagnosis(checks.check_shapes([2, 7, 512]))
    assert "Every answer is still open" in diagnosis(checks.check_shapes(dict.fromkeys(SHAPES, ...)))


LEAKS = {"a": False, "b": False, "c": True, "d": False, "e": True, "f": False, "g": False, "h": True}


def test_what_leaks_passes():
    assert checks.check_leaks(LEAKS)


@pytest.mark.parametrize("letter", LEAKS)
def test_each_wrong_answer_is_named_with_its_reason(letter):
    message = diagnosis(checks.check_leaks(LEAKS | {letter: not LEAKS[letter]}))
    assert message.startswith(f"{letter} is {LEAKS[letter]}: ") and len(message.split()) > 8
    assert "True (it leaks)" in diagnosis(checks.check_leaks(LEAKS | {letter: 1}))
    assert "True (it leaks)" in diagnosis(checks.check_leaks(LEAKS | {letter: ...}))


def test_open_answers_are_named():
    assert "still open" in diagnosis(checks.check_leaks(dict.fromkeys(LEAKS, ...)))
    assert "a dictionary" in diagnosis(checks.check_leaks({"a": True}))


def right(layer, x, memory, mask):
    x = layer.add_self.norm(x + layer.self_attention(x, mask=mask)[0])
    x = layer.add_cross.norm(x + layer.cross_attention(x, memory)[0])
    return layer.add_feed_forward.norm(x + layer.feed_forward(x))


def right_with_weights(layer, x, memory, mask):
    attended, _ = layer.self_attention(x, x, x, mask, need_weights=True)
    x = layer.add_self.norm(x + attended)
    attended, _ = layer.cross_attention(x, memory, memory, need_weights=True)
    x = layer.add_cross.norm(attended + x)
    inner = torch.relu(layer.feed_forward.w_1(x))
    return layer.add_feed_forward.norm(layer.feed_forward.w_2(inner) + x)


def right_by_add_and_norm(layer, x, memory, mask):
    x = layer.add_self(x, lambda h: layer.self_attention(h, mask=mask)[0])
    x = layer.add_cross(x, lambda h: layer.cross_attention(h, memory)[0])
    return layer.add_feed_forward(x, layer.feed_forward)


@pytest.mark.parametrize("layer_of", [right, right_with_weights, right_by_add_and_norm])
def test_decoder_layers_pass(layer_of):
    assert checks.check_decoder_layer(layer_of)


def variant(**changes):
    """The right layer with one thing changed."""

    def layer_of(layer, x, memory, mask):
        one, two, three = layer.add_self.norm, layer.add_cross.norm, layer.add_feed_forward.norm
        see, read, think = layer.self_attention, layer.cross_attention, layer.feed_forward
        first = one(x + see(x, mask=mask)[0])
        second = two(first + read(first, memory)[0])
        return {
            "no mask": lambda: right(layer, x, memory, None),
            "cross first": lambda: _third(three, think, _second(two, see, one(x + read(x, memory)[0]), mask)),
            "exchanged": lambda: _third(three, think, _second(one, see, two(x + read(x, memory)[0]), mask)),
            "pre": lambda: _pre(layer, x, memory, mask),
            "from input": lambda: _third(three, think, two(x + read(first, memory)[0])),
            "one norm": lambda: _third(one, think, one(first + read(first, memory)[0])),
            "no sums": lambda: three(think(two(read(one(see(x, mask=mask)[0]), memory)[0]))),
            "no last sum": lambda: three(think(second)),
            "no network": lambda: second,
            "no cross": lambda: _third(three, think, first),
            "no last norm": lambda: second + think(second),
            "memory asks": lambda: three(two(memory + read(memory, first)[0])),
            "causal over the source": lambda: two(first + read(first, memory, mask=mask)[0]),
            "weights too": lambda: see(x, mask=mask),
            "nothing": lambda: None,
            "shifted": lambda: right(layer, x, memory, mask) + 1,
        }[changes["what"]]()

    return layer_of


def _second(norm, see, x, mask):
    return norm(x + see(x, mask=mask)[0])


def _third(norm, think, x):
    return norm(x + think(x))


def _pre(layer, x, memory, mask):
    x = x + layer.self_attention(layer.add_self.norm(x), mask=mask)[0]
    x = x + layer.cross_attention(layer.add_cross.norm(x), memory)[0]
    return x + layer.feed_forward(layer.add_feed_forward.norm(x))


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("no mask", "has no mask"),
        ("cross first", "comes first"),
        ("exchanged", "exchanged"),
        ("pre", "This is pre-norm"),
        ("from input", "the layer's own input"),
        ("one norm", "used three times"),
        ("no sums", "The sums are missing"),
        ("no last sum", "The last sum is missing"),
        ("no network", "feed-forward network is missing"),
        ("no cross", "attention to the source is missing"),
        ("no last norm", "The last norm is missing"),
        ("memory asks", "wrong shape"),
        ("causal over the source", "does not broadcast"),
        ("weights too", "It returns a tuple"),
        ("nothing", "returned None"),
        ("shifted", "A wrong number at"),
    ],
)
def test_wrong_layers_are_named(what, message):
    assert message in diagnosis(checks.check_decoder_layer(variant(what=what)))


def test_layers_without_norms_are_named():
    def bare(layer, x, memory, mask):
        x = x + layer.self_attention(x, mask=mask)[0]
        x = x + layer.cross_attention(x, memory)[0]
        return x + layer.feed_forward(x)

    assert "The norms are missing" in diagnosis(checks.check_decoder_layer(bare))


def test_checks_change_no_global_state():
    with unchanged_state():
        checks.check_leaks(LEAKS)
        checks.check_decoder_layer(right)
