"""The figure of three doors: claims by hand, and lines as thick as they are."""

import numpy as np
import pytest

from attention_book.pages.diagrams.before.three_doors import claims_by_round, three_doors, three_doors_told
from attention_book.pages.figures.plotting import figure_html

from ..legibility import smallest_type

PAIRS = [
    (x.split(), y.split())
    for x, y in (("cats dogs", "gatos perros"), ("birds dogs", "pájaros perros"), ("birds cats", "gatos pájaros"))
]
CLAIMS = claims_by_round(PAIRS, (0, 1, 3))


@pytest.fixture(scope="module")
def axes():
    return three_doors(PAIRS, CLAIMS).axes[0]


def lines(axes):
    return {line.get_gid(): line for line in axes.lines}


def test_the_claims_are_those_by_hand():
    half, right, crossed = np.full((2, 2), 1 / 2), np.eye(2), np.eye(2)[::-1]
    for claims, weight in zip(CLAIMS, (1 / 2, 2 / 3, 8 / 9), strict=True):
        for door, of_the_right in enumerate((right, right, crossed)):
            wanted = weight * of_the_right + (1 - weight) * (1 - of_the_right)
            np.testing.assert_allclose(claims.shares[door], wanted, atol=1e-12)
    np.testing.assert_allclose(CLAIMS[0].shares[2], half)


def test_lines_are_as_thick_as_the_claims(axes):
    thick = np.array(
        [
            (shares[i, j], lines(axes)[f"claim-{row}-{door}-{i}-{j}"].get_linewidth())
            for row, claims in enumerate(CLAIMS)
            for door, shares in enumerate(claims.shares)
            for i, j in np.ndindex(shares.shape)
        ]
    )
    assert len(thick) == len(axes.lines) == 36
    slope, _ = np.polyfit(*thick.T, 1)
    assert slope > 1 and np.corrcoef(thick.T)[0, 1] == pytest.approx(1)


def test_a_line_leads_from_its_english_word_to_its_spanish_one(axes):
    words = {(text.get_position()[0], round(text.get_position()[1])): text.get_text() for text in axes.texts}

    def word_near(x, y):
        return min(words.items(), key=lambda entry: abs(entry[0][0] - x) + abs(entry[0][1] - y))[1]

    for row in range(len(CLAIMS)):
        for door, (x, y) in enumerate(PAIRS):
            for i, j in np.ndindex(2, 2):
                line = lines(axes)[f"claim-{row}-{door}-{i}-{j}"]
                ends = [word_near(*point) for point in zip(line.get_xdata(), line.get_ydata(), strict=True)]
                assert ends == [x[i], y[j]]


def test_the_rows_say_after_how_many_rounds_and_the_words_have_all_claims(axes):
    written = [text.get_text() for text in axes.texts]
    assert [text for text in written if "round" in text or text == "at first"] == [
        "at first",
        "after 1 round",
        "after 3 rounds",
    ]
    assert written.count("0.89") == 6
    told = three_doors_told(PAIRS, CLAIMS)
    assert "At first: gatos is claimed 0.50 by cats and 0.50 by dogs;" in told
    assert "After 1 round: gatos is claimed 0.67 by cats and 0.33 by dogs;" in told
    assert "pájaros is claimed 0.89 by birds and 0.11 by cats." in told


def test_on_a_phone_the_type_is_nine_pixels_or_more_and_it_is_drawn_as_vectors(axes):
    assert smallest_type(axes.figure) >= 9
    drawing = figure_html(three_doors(PAIRS, CLAIMS), alt="told", caption="asked")
    assert "<image" not in drawing and "var(--role-weight" in drawing


def test_pairs_that_do_not_fit_their_claims_are_refused():
    with pytest.raises(ValueError, match="need tables of these shapes"):
        three_doors(PAIRS[:2], CLAIMS)
