"""The figure of a best-first search: what is taken from the list, in which order, and what is left on it."""

import pytest

from attention_book.examples.small_bigram import ANIMALS, SmallBigram
from attention_book.pages.diagrams.before.best_first_tree import best_first, best_first_told, best_first_tree
from attention_book.pages.figures.plotting import figure_html
from attention_book.translation.best_first_search import best_first_search

MODEL = SmallBigram(ANIMALS)
LISTED = best_first(MODEL.following)
WORSE = SmallBigram({"<s>": {"a": 0.6, "b": 0.4}, "a": {"x": 0.5, "y": 0.5}, "b": {"</s>": 0.9, "x": 0.1},
                     "x": {"</s>": 1.0}, "y": {"</s>": 1.0}})  # fmt: skip


@pytest.fixture(scope="module")
def axes():
    return best_first_tree(LISTED).axes[0]


def boxes(axes):
    """Each prefix's box by its words."""
    named = {patch.get_gid() or "": patch for patch in axes.patches}
    return {tuple(name.split()[1:]): patch for name, patch in named.items() if name.startswith("prefix ")}


def taken(listed):
    order = {one.taken: words for words, one in listed.items() if one.taken}
    assert sorted(order) == list(range(1, len(order) + 1))
    return [" ".join(order[place]) for place in sorted(order)]


def test_the_order_by_hand():
    assert taken(LISTED) == ["dogs", "cats", "cats sleep", "dogs bark", "hide", "hide </s>"]
    assert LISTED["cats", "sleep"].probability == pytest.approx(0.28)
    assert LISTED["dogs", "bark", "loudly"] == (pytest.approx(0.135), 0)


@pytest.mark.parametrize("model", [MODEL, WORSE])
def test_it_is_the_search_of_the_package(model):
    listed = best_first(model.following)
    found = best_first_search(model, model.source, max_len=10)
    assert taken(listed)[-1] == model.spelt(found.hypothesis.tokens)
    assert len(taken(listed)) == found.expansions  # the answer is not continued, and the empty beginning is


def test_every_prefix_has_a_box_with_its_word_its_probability_and_its_number(axes):
    assert set(boxes(axes)) == set(LISTED)
    texts = [(text.get_position(), text.get_text()) for text in axes.texts if text.get_text()]
    for words, patch in boxes(axes).items():
        (x, y), width, height = patch.get_xy(), patch.get_width(), patch.get_height()
        inside = [said for (tx, ty), said in texts if 0 < tx - x < width and 0 < ty - y < height]
        one = LISTED[words]
        assert inside == [words[-1], f"{one.probability:.4g}", *([str(one.taken)] if one.taken else [])]


def test_fates_are_told_by_edges_and_not_by_colour_alone(axes):
    styles = {bool(LISTED[words].taken): set() for words in LISTED}
    for words, patch in boxes(axes).items():
        styles[bool(LISTED[words].taken)].add((patch.get_linewidth(), patch.get_linestyle() in ("-", "solid")))
    assert styles == {True: {(2.2, True)}, False: {(1, False)}}
    assert sum(not patch.get_gid() for patch in axes.patches) == 2  # a second edge: in the answer and in the legend


def test_each_line_leads_from_the_prefix_to_its_continuation(axes):
    lines = {tuple(line.get_gid().split()[1:]): line for line in axes.lines if line.get_gid()}
    assert set(lines) == {words for words in LISTED if len(words) > 1}
    for words, line in lines.items():
        start, end = boxes(axes)[words[:-1]], boxes(axes)[words]
        assert line.get_xdata() == pytest.approx([start.get_x() + start.get_width(), end.get_x()])
        assert line.get_ydata() == pytest.approx([one.get_y() + one.get_height() / 2 for one in (start, end)])


def test_boxes_do_not_overlap_and_stay_on_the_sheet(axes):
    placed = list(boxes(axes).values())
    width, height = placed[0].get_width(), placed[0].get_height()
    corners = [(patch.get_x(), patch.get_y()) for patch in placed]
    for n, (x, y) in enumerate(corners):
        assert x > 0 and y > 0 and x + width < axes.get_xlim()[1] and y + height < axes.get_ylim()[1]
        assert all(abs(x - a) > width or abs(y - b) > height for a, b in corners[n + 1 :])


def test_the_words_tell_the_order_and_what_is_left():
    words = best_first_told(LISTED)
    assert "1. dogs 0.45; 2. cats 0.35; 3. cats sleep 0.28" in words
    assert "6. hide </s> 0.18, which is the answer" in words and "dogs bark loudly 0.135" in words.split("Left on")[1]


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors():
    figure = best_first_tree(LISTED)
    shrunk = min(1.0, 311 / (figure.get_figwidth() * 72))
    assert min(text.get_fontsize() for text in figure.axes[0].texts if text.get_text()) * shrunk >= 9
    assert "<image" not in figure_html(figure, alt="told", caption="asked")


def test_prefixes_that_are_too_long_are_refused():
    chain = {"<s>": {"a": 1.0}, **{a: {b: 1.0} for a, b in zip("abcde", "bcdef", strict=True)}, "f": {"</s>": 1.0}}
    with pytest.raises(ValueError, match="and one has 7"):
        best_first_tree(best_first(SmallBigram(chain).following))
