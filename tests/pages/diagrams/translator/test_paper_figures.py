"""The paper's two figures redrawn: every box leads to a section that exists and to a name that exists."""

import importlib
import re
from collections import Counter

import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from torch import nn

from attention_book.models.blocks import DecoderLayer, EncoderLayer
from attention_book.models.config import TransformerConfig
from attention_book.models.transformer import Transformer
from attention_book.pages.diagrams.translator import architecture as figure_1
from attention_book.pages.diagrams.translator import attention_boxes as figure_2
from attention_book.pages.diagrams.translator.companion import COMPANIONS, HEADER, HERE, address, companion_html
from attention_book.pages.diagrams.translator.parts import HEIGHT
from attention_book.pages.diagrams.translator.parts import HERE as FIGURES_PAGE
from attention_book.pages.figures.linked import linked_html
from attention_book.pages.sections import section

from ..legibility import outside, smallest_type

FIGURES = {"architecture": figure_1.architecture, "attention": figure_2.attention_boxes}
PARTS = {
    "architecture": [*figure_1.ENCODER, *figure_1.DECODER],
    "attention": [*figure_2.ATTENTION, *figure_2.LINEAR, *figure_2.HEADS],
}
TOLD = {"architecture": figure_1.architecture_told, "attention": figure_2.attention_boxes_told}
EACH = pytest.mark.parametrize("name", FIGURES)


@pytest.fixture(scope="module")
def drawn():
    return {name: draw() for name, draw in FIGURES.items()}


@EACH
def test_every_box_has_two_links_that_cover_it(drawn, name):
    figure, links = drawn[name]
    boxes = {patch.get_gid(): patch for patch in figure.axes[0].patches}
    pairs = dict(zip([part.name for part in PARTS[name]], zip(links[::2], links[1::2], strict=True), strict=True))
    assert len(pairs) == len(PARTS[name])  # no name twice
    for part, (upper, lower) in pairs.items():
        (left, bottom), width, height = boxes[part].get_xy(), boxes[part].get_width(), boxes[part].get_height()
        assert (lower.left, lower.bottom, lower.width) == pytest.approx((left, bottom, width))
        assert (upper.left, upper.bottom, upper.width) == pytest.approx((left, bottom + height / 2, width))
        assert upper.height == lower.height == height / 2 == HEIGHT / 2


@EACH
def test_every_section_exists_and_every_lower_half_leads_to_a_row_of_the_table(drawn, name):
    table = companion_html()
    for part in PARTS[name]:
        assert section(part.section)
    for upper, lower in zip(drawn[name][1][::2], drawn[name][1][1::2], strict=True):
        assert re.fullmatch(r"(\.\./[a-z]+/[a-z-]+\.html)?#[a-z-]+", upper.address)
        page, _, row = lower.address.partition("#")
        assert page == f"../{HERE}.html"
        assert f'<tr id="{row}">' in table


@EACH
def test_both_names_of_a_box_stand_in_it_the_code_below(drawn, name):
    axes = drawn[name][0].axes[0]
    boxes = {patch.get_gid(): patch for patch in axes.patches}
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    for part in PARTS[name]:
        edge = boxes[part.name].get_bbox()
        inside = {}
        for text in axes.texts:
            x, y = text.get_position()
            if text.get_text() and edge.x0 < x < edge.x1 and edge.y0 < y < edge.y1:
                inside[text.get_text()] = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        assert set(inside) == {part.title, part.code}
        assert inside[part.title].y0 > inside[part.code].y0
        assert all(edge.x0 <= extent.x0 and extent.x1 <= edge.x1 for extent in inside.values()), part.name


@EACH
def test_nothing_stands_outside_and_boxes_do_not_overlap(drawn, name):
    figure = drawn[name][0]
    axes = figure.axes[0]
    assert not outside(axes)
    names = {part.name for part in PARTS[name]}
    edges = [patch.get_bbox() for patch in axes.patches if patch.get_gid() in names]
    assert len(edges) == len(names)
    assert not any(one.overlaps(other) for i, one in enumerate(edges) for other in edges[:i])


@EACH
def test_on_a_phone_the_type_is_nine_pixels_or_more(drawn, name):
    figure = drawn[name][0]
    assert smallest_type(figure) >= 9


@EACH
def test_the_words_tell_every_box_with_its_code(name):
    told = TOLD[name]()
    for part in PARTS[name]:
        assert part.code in told
        assert part.title.removeprefix("+ ") in told or part in figure_2.LINEAR


@EACH
def test_it_is_drawn_as_vectors_in_the_colours_of_the_roles(drawn, name):
    html = linked_html(*drawn[name], alt="told", caption="asked")
    assert "<image" not in html
    assert all(f"var(--role-{role}" in html for role in ("query", "key", "value", "output"))


def test_the_boxes_of_a_layer_are_the_modules_of_a_layer():
    config = TransformerConfig.tiny()
    for kind, column, part in (
        (EncoderLayer, figure_1.ENCODER, slice(2, 6)),
        (DecoderLayer, figure_1.DECODER, slice(2, 8)),
    ):
        drawn = Counter(one.code for one in column[part])
        assert drawn == Counter(type(module).__name__ for module in kind(config).children())
    model = Transformer(config)
    assert all(hasattr(model, name) for name in ("src_embedding", "tgt_embedding", "output"))


def test_the_drawn_formula_is_the_attention():
    q, k, v = (torch.randn(5, 4, generator=torch.Generator().manual_seed(n)) for n in range(3))
    code = [part.code for part in figure_2.ATTENTION]
    assert code == ["q @ k.T", "/ sqrt(d_k)", "where", "softmax", "weights @ v"]
    weights = torch.softmax(q @ k.T / 4**0.5, dim=-1)
    from attention_book.attention.dot_product import scaled_dot_product_attention

    torch.testing.assert_close(scaled_dot_product_attention(q, k, v)[0], weights @ v)


@pytest.mark.parametrize("names", COMPANIONS, ids=lambda names: names.ours)
def test_each_row_names_what_exists_here_and_in_torch(names):
    module = importlib.import_module(f"attention_book.{names.module}")
    owner, _, attribute = names.ours.partition(".")
    assert hasattr(module, owner)
    if attribute:
        assert hasattr(Transformer(TransformerConfig.tiny()), attribute)
    assert section(names.shown)
    if names.torch.startswith("in the layers: "):
        wanted = Counter(names.torch.removeprefix("in the layers: ").split(", "))
        for layer in (nn.TransformerEncoderLayer(8, 2), nn.TransformerDecoderLayer(8, 2)):
            assert wanted <= Counter(type(module).__name__ for module in layer.children())
    elif names.torch != "none":
        found = nn
        for name in names.torch.split("."):
            found = getattr(found, name)


def test_the_table_has_a_row_for_each_class_of_the_blocks():
    from attention_book.models import blocks

    classes = {
        name for name, one in vars(blocks).items() if isinstance(one, type) and one.__module__ == blocks.__name__
    }
    assert classes <= {names.ours for names in COMPANIONS}
    html = companion_html()
    assert html.count("<tr id=") == len({names.anchor for names in COMPANIONS}) == len(COMPANIONS)
    assert all(f'<th scope="col">{name}</th>' in html for name in HEADER)


def test_addresses_on_the_page_of_the_figures_and_on_the_page_of_the_table():
    here = f"{FIGURES_PAGE}#blocks-output"
    assert address(here, FIGURES_PAGE) == "#blocks-output"
    assert address(here) == address(here, HERE) == "../translator/blocks-and-stacks.html#blocks-output"
    assert address("attention/masks#masks-flow") == "../attention/masks.html#masks-flow"


def test_the_table_has_no_name_that_the_exercise_asks_for():
    """Which norm has two numbers in torch's layers is a question of the page on which the table stands."""
    assert not re.search(r"norm\d", re.sub(r"<wbr>", "", companion_html()))
