"""The cut picture shows every pixel twice, where it belongs; the two images of bars have the same patches."""

import pytest

from attention_book.models.one_stack.patches import cut_patches
from attention_book.pages.diagrams.beyond.patches import (
    BAR_PATCH,
    LABELLED,
    cut_picture,
    cut_picture_told,
    exchanged_bars,
    labelled_images,
    labelled_images_told,
    same_patches,
    same_patches_told,
    seven,
)
from attention_book.pages.figures.plotting import figure_html

from ..legibility import outside, smallest_type


@pytest.fixture(scope="module")
def axes():
    return cut_picture().axes[0]


def test_each_pixel_is_drawn_in_the_picture_and_in_its_row(axes):
    inked = {patch.get_gid() for patch in axes.patches if patch.get_facecolor()[3] > 0}
    image = seven()
    expected = set()
    for row in range(8):
        for column in range(8):
            if image[row, column]:
                expected.add(f"pixel-{row}-{column}")
                patch, place = row // 2 * 4 + column // 2, row % 2 * 2 + column % 2
                expected.add(f"row-{patch}-{place}")
    assert inked == expected and len(inked) == 2 * 11


def test_its_words_name_the_rows_with_ink():
    told = cut_picture_told()
    assert "patch 0: 0 0 0 1" in told and "patch 14: 0 1 0 0" in told and told.count("patch ") == 7


def test_every_row_has_its_number(axes):
    numbers = [text.get_text() for text in axes.texts if text.get_text().isdigit()]
    assert numbers == ["0", "4", "8", "12", *(str(n) for n in range(16))]


def test_the_labelled_images_are_of_the_experiment_and_the_last_has_none():
    assert len(set(LABELLED)) == 7
    for (lying, left), (standing, right) in LABELLED:
        assert (lying - standing) % BAR_PATCH == 0 and lying != standing and abs(left - right) >= 5
        assert min(lying, left, standing, right) >= 0 and max(lying, left, standing, right) <= 9
    labels = [text.get_text() for text in labelled_images().axes[0].texts]
    assert labels == ["yes", "yes", "no", "yes", "no", "no", "?"]
    assert "no: lying bar from row 4, column 0, standing bar from row 1, column 8" in labelled_images_told()


@pytest.mark.parametrize("bar", [0, 1])
@pytest.mark.parametrize("place", [0, 1])
def test_no_single_row_or_column_gives_the_label_away(bar, place):
    """A reader who sees one number of one bar alone finds no bound that parts yes and no."""
    labelled = LABELLED[:-1]
    yes = [image[bar][place] for image in labelled if image[0][0] < image[1][0]]
    no = [image[bar][place] for image in labelled if image[0][0] > image[1][0]]
    assert len(yes) == len(no) == 3
    assert max(yes) >= min(no) and max(no) >= min(yes)


def test_the_bars_of_both_images_have_the_same_patches_in_other_places():
    first, second = (cut_patches(image[None], BAR_PATCH)[0].int().tolist() for image in exchanged_bars())
    assert first != second and sorted(first) == sorted(second)
    drawn = {patch.get_gid() for patch in same_patches().axes[0].patches if patch.get_facecolor()[3] > 0}
    for image, label in zip(exchanged_bars(), ("yes", "no"), strict=True):
        assert {f"{label}-pixel-{row}-{column}" for row, column in image.nonzero().tolist()} <= drawn
        lying = image.sum(dim=1).argmax().item()  # the row with three pixels
        standing = image[:, 10].argmax().item()
        assert (lying < standing) == (label == "yes")
    assert len(drawn) == 12
    told = same_patches_told()
    assert "ink are 0, 1, 11 and 15" in told and "ink are 3, 7, 8 and 9" in told


@pytest.mark.parametrize("figure", [cut_picture, same_patches, labelled_images])
def test_letters_stay_on_the_sheet_and_are_legible(figure):
    drawn = figure()
    assert not outside(drawn.axes[0]) and smallest_type(drawn) >= 9
    assert "<image" not in figure_html(drawn, alt="told", caption="asked")
