"""The figure of a bigram model: its shares are counts divided, and each has an arrow as thick as it is large."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

from attention_book.pages.diagrams.before.bigram_graph import bigram_graph, bigram_graph_told, bigram_shares
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

SENTENCES = [text.split() for text in ("I like cats", "I like dogs", "cats like fish")]
COLUMNS = [["<s>"], ["I", "cats"], ["like"], ["dogs", "fish"], ["</s>"]]
MISSING = ("<s>", "dogs")
SHARES = bigram_shares(SENTENCES)


@pytest.fixture(scope="module")
def axes():
    return bigram_graph(SHARES, COLUMNS, MISSING).axes[0]


def arrows(axes):
    """(from, to, arrow) of each, the words found by the boxes that its ends touch."""
    boxes = {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}

    def word_at(point):
        def away(box):
            (left, bottom), (x, y) = box.get_xy(), point
            dx = max(left - x, 0, x - left - box.get_width())
            return dx + max(bottom - y, 0, y - bottom - box.get_height())

        return min(boxes, key=lambda word: away(boxes[word]))

    drawn = [text for text in axes.texts if getattr(text, "arrow_patch", None)]
    return [(word_at(text.xyann), word_at(text.xy), text.arrow_patch) for text in drawn]


def test_the_shares_are_counts_divided():
    filled = [["<s>", *sentence, "</s>"] for sentence in SENTENCES]
    pairs = Counter(pair for sentence in filled for pair in pairwise(sentence))
    before = Counter(word for sentence in filled for word in sentence[:-1])
    assert {pair: Fraction(count, before[pair[0]]) for pair, count in pairs.items()} == SHARES
    assert SHARES["<s>", "I"] == Fraction(2, 3) and SHARES["like", "fish"] == Fraction(1, 3)


def test_every_share_has_an_arrow_and_the_missing_pair_a_dashed_one(axes):
    found = [(before, word) for before, word, _ in arrows(axes)]
    assert Counter(found) == Counter([*SHARES, MISSING])
    dashed = [(before, word) for before, word, patch in arrows(axes) if patch.get_linestyle() not in ("-", "solid")]
    assert dashed == [MISSING]


def test_an_arrow_is_the_thicker_the_larger_its_share(axes):
    thick = {(before, word): patch.get_linewidth() for before, word, patch in arrows(axes)}
    order = sorted(SHARES, key=SHARES.get)
    assert all(thick[a] < thick[b] if SHARES[a] < SHARES[b] else thick[a] == thick[b] for a, b in pairwise(order))


def test_every_share_is_written_and_no_text_leaves_the_sheet(axes):
    written = Counter(text.get_text() for text in axes.texts if text.get_text())
    assert Counter(map(str, SHARES.values())) <= written and written["never seen"] == 1
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    for text in axes.texts:
        x, y = text.get_position()
        assert not text.get_text() or (left < x < right and low + 5 < y < high - 5)


def test_the_words_have_the_shares():
    told = bigram_graph_told(SHARES, MISSING)
    assert "From <s>: I with 2/3, cats with 1/3." in told and "From fish: </s> with 1." in told
    assert "from <s> to dogs is marked as never seen" in told


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    assert smallest_type(axes.figure) >= 9
    drawing = figure_html(bigram_graph(SHARES, COLUMNS, MISSING), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-mask" in drawing


@pytest.mark.parametrize(
    ("columns", "missing", "said"),
    [
        (COLUMNS[:-1], MISSING, "give </s> a place"),
        (COLUMNS, ("<s>", "birds"), "give birds a place"),
        (COLUMNS, ("<s>", "I"), "it has the share 2/3"),
    ],
)
def test_what_makes_no_figure_is_refused(columns, missing, said):
    with pytest.raises(ValueError, match=said):
        bigram_graph(SHARES, columns, missing)
