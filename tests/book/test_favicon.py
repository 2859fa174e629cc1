"""The icon: one drawing, in SVG for pages and drawn in pixels for everything else."""

import pytest
from favicon import DRAWING, SIZES, drawn
from PIL import Image

WHITE, PURPLE = (255, 255, 255, 255), (134, 20, 127, 255)


@pytest.mark.parametrize("size", SIZES)
def test_the_drawing_is_sharp_at_every_size(size):
    """Away from the round corners a pixel has a colour of the drawing: nothing falls between two pixels."""
    picture, step = drawn(size), size // 16
    assert picture.size == (size, size)
    shades = {colour for _, colour in picture.crop((3 * step, 3 * step, size - 3 * step, size - 3 * step)).getcolors()}
    assert len(shades) == 4 and {WHITE, PURPLE} <= shades
    assert picture.getpixel((0, 0))[3] < 128 < picture.getpixel((size // 2, 0))[3]  # round, on whatever is behind


def test_the_drawing_is_three_rows_of_weights_under_a_causal_mask():
    picture = drawn(16)
    brightness = [[sum(picture.getpixel((2 + 5 * column, 2 + 5 * row))[:3]) for column in range(3)] for row in range(3)]
    masked = {brightness[row][column] for row in range(3) for column in range(row + 1, 3)}
    seen = {brightness[row][column] for row in range(3) for column in range(row + 1)}
    assert len(masked) == 1 and max(masked) < min(seen)
    assert all(max(row) == 3 * 255 for row in brightness)


def test_white_stands_out_from_the_ground_and_the_ground_is_there_in_light_and_dark():
    def luminance(colour):
        parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
        return sum(part * weight for part, weight in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))

    assert (1 + 0.05) / (luminance(PURPLE) + 0.05) > 4.5
    assert drawn(16).getpixel((8, 0)) == PURPLE  # its own ground: what is behind the icon does not matter


def test_another_shape_is_refused_and_not_left_out(tmp_path):
    other = tmp_path / "icon.svg"
    other.write_text(DRAWING.read_text(encoding="utf-8").replace("</svg>", '<circle r="3"/></svg>'), encoding="utf-8")
    with pytest.raises(ValueError, match="draws rectangles alone, and this is a circle"):
        drawn(16, other)


@pytest.mark.site
def test_the_built_book_has_it_in_all_sizes():
    built = DRAWING.parents[1] / "_build" / "html"
    assert (built / "_static" / "icon.svg").read_bytes() == DRAWING.read_bytes()
    with Image.open(built / "favicon.ico") as icon:
        assert icon.ico.sizes() == {(size, size) for size in SIZES}
        assert icon.ico.getimage((16, 16)).convert("RGBA").tobytes() == drawn(16).tobytes()
