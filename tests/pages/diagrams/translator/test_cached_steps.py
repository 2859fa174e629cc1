"""The figure of the cached steps: its dots are the positions that a decoder computes."""

import pytest
import torch

from attention_book.analysis.recording import recording
from attention_book.pages.diagrams.translator.cached_steps import I_LIKE_CATS, Steps, cached_steps, cached_steps_told
from attention_book.pages.figures.plotting import figure_html
from attention_book.studies.translator.decoder_caches import positions, written
from attention_book.translation.forced_decoding import steps_keeping
from attention_book.translation.translator import Translator

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return cached_steps().axes[0]


def test_its_tokens_are_those_of_the_translator():
    translator = Translator.from_pretrained("en-es")
    src, tgt = written(translator, "I like cats.")
    spelt = tuple(word.strip("·▁Ġ ") for word in translator.subwords.tokens(src[0].tolist()))
    assert spelt == I_LIKE_CATS.source
    assert tuple(w.strip("·▁Ġ ") for w in translator.subwords.tokens(tgt[0].tolist())) == I_LIKE_CATS.fed


@pytest.mark.parametrize("cached", [False, True])
def test_its_bold_cells_are_what_a_decoder_computes(axes, cached):
    model = Translator.from_pretrained("en-es").model.eval()
    n, m = len(I_LIKE_CATS.fed), len(I_LIKE_CATS.source)
    layer = model.decoder.layers[0]
    with torch.inference_mode(), recording(layer.self_attention.w_k, layer.cross_attention.w_k) as calls:
        memory = model.encode(torch.full((1, m), 5))
        steps_keeping(model, memory, torch.full((1, n), 5), own=cached, source=cached)
    wanted = sum(call.inputs[0].shape[1] for calls_of in calls.values() for call in calls_of)
    name = "with-" if cached else "without-"
    cells = [patch for patch in axes.patches if patch.get_gid().startswith(name)]
    assert sum(patch.get_linewidth() > 1 for patch in cells) == wanted == I_LIKE_CATS.count(cached)
    assert wanted == positions(n, m, cached, cached) and len(cells) == n * m + n * (n + 1) // 2


def test_every_bold_cell_has_a_dot(axes):
    dots = sum(text.get_text() == "●" for text in axes.texts)
    assert dots == I_LIKE_CATS.count(False) + I_LIKE_CATS.count(True)


def test_the_words_count_the_positions():
    assert "so far: 51 positions" in cached_steps_told() and "read: 11 positions" in cached_steps_told()
    assert Steps(("a",), ("b", "c")).computed(1, cached=True) == ([], [1])
    assert Steps(("a",), ("b", "c")).computed(1, cached=False) == ([0], [0, 1])


def test_letters_stay_on_the_sheet_and_are_legible(axes):
    assert not outside(axes) and smallest_type(axes.figure) >= 9


def test_it_is_drawn_as_vectors_in_the_colour_of_keys():
    drawing = figure_html(cached_steps(), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-key" in drawing
