"""The figures show the stream and the pictures that they are given, and say which are right."""

from attention_book.pages.diagrams.beyond import pictures as figure
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type

PAIRS = [(("red", "bar", "left"), "R...R...R...R..."), (("blue", "pair", "top"), "BBBB............")] * 3


def test_the_stream_has_every_token_in_order():
    axes = figure.one_stream().axes[0]
    boxes = [patch for patch in axes.patches if str(patch.get_gid()).startswith("token-")]
    assert len(boxes) == 6 + 2 + 16
    said = [text.get_text() for text in axes.texts]
    assert said[-24:] == ["a", "red", "bar", "at", "the", "left", "</s>", "<s>", *"R...R...R...R..."]
    assert "a red bar at the left </s> <s> R . . . R" in figure.one_stream_told()


def test_each_drawn_picture_has_its_letters_and_its_verdict():
    axes = figure.drawn(PAIRS).axes[0]
    verdicts = {t.get_gid(): t.get_text() for t in axes.texts if str(t.get_gid()).startswith("verdict")}
    assert list(verdicts.values()) == ["allowed", "wrong"] * 3
    letters = [text.get_text() for text in axes.texts]
    assert letters.count("R") == letters.count("B") == 12


def test_letters_stay_on_the_sheet_and_are_legible():
    for drawing in (figure.one_stream(), figure.drawn(PAIRS)):
        assert not outside(drawing.axes[0]) and smallest_type(drawing) >= 9
        assert "<svg" in figure_html(drawing, alt="pictures", caption="Pictures.")
