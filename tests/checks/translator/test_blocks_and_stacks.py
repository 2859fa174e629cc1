"""The checks of the chapter on blocks and stacks: they pass what is right and name what is wrong."""

import math

import numpy as np
import pytest
import scipy.special
import torch
from global_state import unchanged_state
from torch import nn

from attention_book.attention.masks import leak
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


def by_leak(layers, x, memory, mask):
    for number, layer in enumerate(layers):
        if leak(lambda rows, layer=layer: layer(rows[None], memory, mask)[0][0], x) > 0:
            return number
    return -1


def by_moving_the_last_row(layers, x, memory, mask):
    moved = x.clone()
    moved[-1] += 1
    for number, layer in enumerate(layers):
        before, after = (layer(rows[None], memory, mask)[0][0] for rows in (x, moved))
        if not torch.equal(before[:-1], after[:-1]):
            return number
    return -1


def with_the_lower_layers(layers, x, memory, mask):
    found = -1
    for number in range(len(layers)):

        def rows(x, height=number + 1):
            x = x[None]
            for layer in layers[:height]:
                x = layer(x, memory, mask)[0]
            return x[0]

        found = number if leak(rows, x) > 0 else found
    return found


def earlier_rows_too(layers, x, memory, mask):
    moved = x.clone()
    moved[-1] += 1
    for number, layer in enumerate(layers):
        before, after = (layer(rows[None], memory, mask)[0][0] for rows in (x, moved))
        if not torch.equal(before, after):
            return number
    return -1


@pytest.mark.parametrize("find", [by_leak, by_moving_the_last_row])
def test_who_finds_the_layer_without_a_mask_passes(find):
    assert checks.check_unmasked(find)


@pytest.mark.parametrize(
    ("find", "message"),
    [
        (lambda *them: by_leak(*them) + 1, "Count from 0"),
        (with_the_lower_layers, "carry the change, too"),
        (earlier_rows_too, "Look at later rows only"),
        (lambda *them: -1, "It says -1, but layer 1 of 4 has no mask. Ask each layer alone"),
        (lambda *them: by_leak(*them) if by_leak(*them) > 0 else 1, "layer 0 of 3 has no mask"),
        (lambda *them: max(by_leak(*them), 0), "all 3 layers have masks"),
        (lambda *them: True, "as an `int`, got True"),
        (lambda *them: None, "Is the `return` missing?"),
    ],
)
def test_who_does_not_find_it_is_told_why(find, message):
    assert message in diagnosis(checks.check_unmasked(find))


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
        checks.check_unmasked(by_moving_the_last_row)


FOUR = {"a": 3, "b": math.e, "c": 1.5, "d": 4_096_000}


def test_the_four_subwords_pass_and_are_those_of_the_page():
    assert checks.check_four(FOUR) and checks.check_four(FOUR | {"b": 2.72})
    scores = np.array([[1, 0], [0, -3], [1, 1], [-2, 2]]) @ np.array([2, -1])
    assert scores.tolist() == [2, 3, 1, -6]
    chances = torch.tensor(scores).double().softmax(-1)
    assert chances[1] / chances[0] == pytest.approx(FOUR["b"]) and FOUR["c"] * scores[0] == scores[1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"a": 2}, "that is the score of a"),
        ({"a": -3}, "(a) is not -3"),
        ({"b": 1.5}, "the ratio of their scores"),
        ({"b": 0.368}, "how many times as probable a is as b"),
        ({"b": 20.0855}, "which both share"),
        ({"c": 2 / 3}, "for the row of b"),
        ({"c": 1}, "by which factor"),
        ({"d": 3 * 8000 * 256}, "one of the three tables is still needed"),
        ({"d": 8000 * 256}, "three become one"),
        ({"d": 16_000}, "each row has 256 numbers"),
        ({"c": ...}, "(c) is still to be predicted"),
        ({"a": "three"}, "to be one number"),
    ],
)
def test_wrong_numbers_of_the_four_get_the_reason(change, told):
    assert told in diagnosis(checks.check_four(FOUR | change))


def stable(rows, table):
    scores = rows @ table.T
    e = (scores - scores.amax(dim=1, keepdim=True)).exp()
    return e / e.sum(dim=1, keepdim=True)


def one_by_one(rows, table):
    return torch.stack([torch.stack([row @ word for word in table]).softmax(-1) for row in rows])


@pytest.mark.parametrize(
    "right",
    [
        stable,
        one_by_one,
        lambda rows, table: (rows @ table.T).softmax(-1),
        lambda rows, table: torch.from_numpy(scipy.special.softmax((rows @ table.T).numpy(), axis=-1)),
        lambda rows, table: nn.functional.linear(rows, table).log_softmax(-1).exp(),
    ],
)
def test_the_output_layer_passes(right):
    assert checks.check_next_words(right)


def unit(rows):
    return nn.functional.normalize(rows)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda rows, table: rows @ table.T, "Those are the scores"),
        (lambda rows, table: (rows @ table.T).softmax(0), "over the positions"),
        (lambda rows, table: (rows @ table.T).flatten().softmax(0).view(len(rows), -1), "over all numbers at once"),
        (lambda rows, table: (rows @ table.T).log_softmax(-1), "logarithms"),
        (lambda rows, table: stable(rows / rows.shape[1] ** 0.5, table), "as attention does"),
        (lambda rows, table: stable(unit(rows), unit(table)), "compares directions alone"),
        (lambda rows, table: (rows @ table.T).exp() / (rows @ table.T).exp().sum(1, keepdim=True), "a score of 1,000"),
        (lambda rows, table: stable(rows, table)[-1:], "got (1, 5)"),
        (lambda rows, table: stable(rows, table).T, "is it transposed?"),
        (lambda rows, table: rows @ table, "Your code stopped"),
        (lambda rows, table: stable(rows, table).tolist(), "to be a torch tensor"),
        (lambda rows, table: None, "Is the `return` missing?"),
    ],
)
def test_a_wrong_output_layer_is_explained(wrong, told):
    assert told in diagnosis(checks.check_next_words(wrong))


def test_a_table_that_is_not_transposed_is_told_where_the_shapes_hide_it():
    def wrong(rows, table):
        return stable(rows, table.T if len(table) == len(rows[0]) else table)

    assert "has to be transposed" in diagnosis(checks.check_next_words(wrong))


def test_a_longer_row_of_dogs_takes_the_place_of_cats_and_no_other_as_the_page_says(translator):
    subwords = translator.subwords
    src = torch.tensor([[*subwords.encode("I like cats."), subwords.eos_id]])
    tgt = torch.tensor([[subwords.bos_id, *subwords.encode("Me gustan los gatos.")]])
    dogs, cats = subwords.encode("Me gustan los perros.")[3], tgt[0, 4].item()
    with torch.no_grad():
        scores = translator.model(src, tgt)[0]

    def likeliest(factor):
        longer = scores.clone()
        longer[:, dogs] *= factor
        return longer.argmax(dim=-1).tolist()

    right = [*tgt[0, 1:].tolist(), subwords.eos_id]
    assert likeliest(1) == right
    assert likeliest(2) == [dogs if one == cats else one for one in right]
    negative = (scores[:, dogs] < 0).tolist()
    assert sum(negative) == 3
    assert [one for one, below in zip(likeliest(20), negative, strict=True) if not below] == [dogs] * 3
    assert scores[3].max() / scores[3, dogs] == pytest.approx(1.62, abs=0.01)
    assert scores.max(dim=-1).values.min() > 5
