"""The figure of the three uses: tables of the right sizes, and hidden is what the mask hides."""

import itertools

import pytest

from attention_book.pages.diagrams.attention.three_uses import three_uses, three_uses_told, use_shapes
from attention_book.pages.figures.plotting import ROLES, figure_html

from ..legibility import smallest_type

SOURCE, TARGET = ["I", "like", "cats"], ["<s>", "Me"]


@pytest.fixture(scope="module")
def axes():
    return three_uses(SOURCE, TARGET).axes[0]


def cells(axes, use):
    return {patch.get_gid(): patch for patch in axes.patches if (patch.get_gid() or "").startswith(f"{use}-")}


def texts(axes):
    return {text.get_position(): text.get_text() for text in axes.texts if text.get_text()}


def test_the_shapes_are_queries_by_keys():
    found = {use.name: use.may.shape for use in use_shapes(SOURCE, TARGET)}
    assert found == {"encoder_self": (3, 3), "decoder_self": (2, 2), "cross": (2, 3)}


@pytest.mark.parametrize(("use", "rows", "columns"), [("encoder_self", 3, 3), ("decoder_self", 2, 2), ("cross", 2, 3)])
def test_every_query_has_a_cell_for_every_key(axes, use, rows, columns):
    assert set(cells(axes, use)) == {f"{use}-{q}-{k}" for q, k in itertools.product(range(rows), range(columns))}


def test_hidden_are_the_later_rows_of_the_decoder_and_nothing_else(axes):
    for use in ("encoder_self", "decoder_self", "cross"):
        empty = {name for name, cell in cells(axes, use).items() if cell.get_facecolor()[3] == 0}
        assert empty == ({"decoder_self-0-1"} if use == "decoder_self" else set())
    longer = three_uses(SOURCE, [*TARGET, "gustan"]).axes[0]
    empty = {name for name, cell in cells(longer, "decoder_self").items() if cell.get_facecolor()[3] == 0}
    assert empty == {"decoder_self-0-1", "decoder_self-0-2", "decoder_self-1-2"}


def test_rows_carry_the_queries_and_columns_the_keys(axes):
    for use, queries, keys in (("encoder_self", SOURCE, SOURCE), ("decoder_self", TARGET, TARGET),
                               ("cross", TARGET, SOURCE)):  # fmt: skip
        found = cells(axes, use)
        middle = lambda cell: (cell.get_x() + cell.get_width() / 2, cell.get_y() + cell.get_height() / 2)  # noqa: E731
        first = middle(found[f"{use}-0-0"])
        for n, query in enumerate(queries):
            y = middle(found[f"{use}-{n}-0"])[1]
            assert any(said == query and x < first[0] and at == pytest.approx(y) for (x, at), said in
                       texts(axes).items())  # fmt: skip
        for n, key in enumerate(keys):
            x = middle(found[f"{use}-0-{n}"])[0]
            assert any(said == key and y > first[1] and at == pytest.approx(x) for (at, y), said in
                       texts(axes).items())  # fmt: skip


def test_the_memory_has_a_box_for_each_source_token_and_none_for_the_target(axes):
    assert len(cells(axes, "memory")) == len(SOURCE)


def test_everything_stands_on_the_sheet(axes):
    width = axes.get_xlim()[1]
    for patch in axes.patches:
        if patch.get_gid():
            assert patch.get_x() >= 0 and patch.get_x() + patch.get_width() <= width


def test_on_a_phone_the_type_is_nine_pixels_or_more():
    figure = three_uses(SOURCE, TARGET)
    assert smallest_type(figure) >= 9


def test_the_words_tell_shapes_and_what_is_hidden():
    words = three_uses_told(SOURCE, TARGET)
    assert "3 rows for I, like, cats, 3 columns for I, like, cats; nothing is hidden." in words
    assert "2 rows for <s>, Me, 2 columns for <s>, Me; hidden: Me from <s>." in words
    assert words.endswith("2 rows for <s>, Me, 3 columns for I, like, cats; nothing is hidden.")


def test_it_is_drawn_as_vectors_in_colours_of_the_page(axes):
    drawing = figure_html(axes.figure, alt="told", caption="asked")
    assert "<image" not in drawing
    assert all(f"var(--role-{role}" in drawing for role in ROLES)


@pytest.mark.parametrize(("source", "target"), [([], TARGET), (SOURCE, [])])
def test_a_side_without_tokens_is_refused(source, target):
    with pytest.raises(ValueError, match="both sides need a token"):
        use_shapes(source, target)
