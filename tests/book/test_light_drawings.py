"""Drawings made lighter: fewer letters, the same lines."""

import re

import light_drawings
import numpy as np
import pytest
from matplotlib.path import Path as Course

HEAD = '<svg role="img" aria-label="x" width="4pt">\n'


def points(course):
    """The points of a course of straight lines, as a browser reads it."""
    x = y = None
    found = []
    for letter, numbers in re.findall(r"([MLHV])([-\d. ]+)", course):
        values = [float(one) for one in numbers.split()]
        x, y = (values[0], y) if letter == "H" else (x, values[0]) if letter == "V" else values
        found.append((x, y))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_shorter_course_leads_through_the_same_points(seed):
    random = np.random.default_rng(seed)
    corners = random.uniform(-50, 900, size=(40, 2))
    corners[1::3, 0] = corners[::3, 0][: len(corners[1::3])]  # straight up
    corners[2::3, 1] = corners[1::3, 1][: len(corners[2::3])]  # straight across
    codes = [Course.MOVETO if place % 7 == 0 else Course.LINETO for place in range(len(corners))]
    words = {Course.MOVETO: "M", Course.LINETO: "L"}
    course = "\n".join(f"{words[code]} {x:.6f} {y:.6f}" for code, (x, y) in zip(codes, corners, strict=True))
    short = light_drawings.shorter(course)
    assert np.abs(np.array(points(short)) - corners).max() <= 0.005 + 1e-9
    assert len(short) < 0.7 * len(course) and "H" in short and "V" in short


def test_a_curve_keeps_its_letters():
    assert light_drawings.shorter("M 1.23456 2 \nC 1 2 3.999999 4 5 6 \nz ") == "M1.23 2C1 2 4 4 5 6z"


def test_what_has_neither_fill_nor_stroke_goes_and_all_else_stays():
    empty = '<path d="M 1 2 \nL 3 4 \n" clip-path="url(#a)" style="fill: none"/>'
    stroked = '<path d="M 1 2 \nL 3 4 \n" clip-path="url(#a)" style="fill: none; stroke: currentColor"/>'
    drawing = f"{HEAD}<g>\n{empty}\n{stroked}\n</g></svg>"
    assert light_drawings.finish(f"<p>{drawing}</p>", "page") == (
        f"<p>{HEAD.strip()}<g>{stroked.replace('M 1 2 ' + chr(10) + 'L 3 4 ' + chr(10), 'M1 2L3 4')}</g></svg></p>"
    )


def test_words_and_definitions_stay_as_they_are():
    kept = '<defs>\n <path id="m" d="M 0 0.123456 \nL 1 2 \n"/>\n</defs>'
    kept += '<text x="1">a\n <tspan>b</tspan>\n <tspan>c</tspan></text>'
    assert kept in light_drawings.finish(f"{HEAD}{kept}</svg>", "page")


def test_other_drawings_are_left_alone():
    drawing = '<svg width="4">\n<path d="M 1.23456 2 \nL 3 4 \n" clip-path="url(#a)" style="fill: none"/>\n</svg>'
    assert light_drawings.finish(drawing, "page") == drawing


def test_the_cells_of_a_map_are_drawn_by_one_path_for_each_shade():
    shades = [0.111111, 0.112, 0.5, 0.111111]
    cells = "".join(
        f'\n<path d="M {place} 0 \nL {place + 1} 0 \n" style="fill: red; fill-opacity: {shade}"/>'
        for place, shade in enumerate(shades)
    )
    drawing = light_drawings.finish(f'{HEAD}<g id="figure-1-0a1b2c3d-QuadMesh_1">{cells}</g></svg>', "page")
    drawn = {look: course for course, look in re.findall(r'<path d="([^"]*)" style="([^"]*)"', drawing)}
    assert drawn == {"fill: red; fill-opacity: 0.11": "M0 0H1M1 0H2M3 0H4", "fill: red; fill-opacity: 0.5": "M2 0H3"}


def test_names_become_short_and_lead_where_they_did_and_those_of_two_drawings_differ():
    def drawing(number):
        name = f"figure-{number}-0a1b2c3d-"
        parts = (
            f'<defs><path id="{name}m"/></defs><use href="#{name}m"/><g clip-path="url(#{name}p)"/><i id="{name}p"/>'
        )
        return light_drawings.finish(f"{HEAD}{parts}</svg>", "page")

    one, two = drawing(1), drawing(2)
    assert re.findall(r'(?:id="|href="#|url\(#)([\w-]+)', one) == ["f1-0", "f1-0", "f1-1", "f1-1"]
    assert not set(re.findall(r'id="([^"]*)', one)) & set(re.findall(r'id="([^"]*)', two))


def test_fonts_are_named_once_where_all_words_have_the_same():
    words = """<text style="font-size: 10px; font-family: 'DejaVu Sans', 'Arial', sans-serif; fill: red">a</text>"""
    head = '<svg role="img" style="min-width: 519px">'
    drawing = light_drawings.finish(f"{head}{words}{words}</svg>", "page")
    assert drawing.count("font-family") == 1 and drawing.count('style="font-size: 10px; fill: red"') == 2
    assert drawing.startswith("""<svg role="img" style="font-family: 'DejaVu Sans', 'Arial', sans-serif; min-width""")
    other = words.replace("Arial", "Times")
    assert light_drawings.finish(f"{head}{words}{other}</svg>", "page").count("font-family") == 2
