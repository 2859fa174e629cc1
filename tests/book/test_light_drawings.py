"""Drawings made lighter: fewer letters, the same lines."""

import re

import light_drawings
import numpy as np
import pytest
import short_courses
from matplotlib.path import Path as Course

HEAD = '<svg role="img" aria-label="x" width="4pt">\n'


def points(course):
    """The points of a course of straight lines, as a browser reads it: after M, further pairs of numbers are lines."""
    words = re.findall(r"[MLHVmlhv]|-?\d*\.?\d+", course)
    x = y = 0.0
    found, letter, place = [], "", 0
    while place < len(words):
        if words[place].isalpha():
            letter, place = words[place], place + 1
        first = float(words[place])
        from_here = letter.islower()
        if letter in "HhVv":
            x = first + from_here * x if letter in "Hh" else x
            y = first + from_here * y if letter in "Vv" else y
            place += 1
        else:
            x, y = first + from_here * x, float(words[place + 1]) + from_here * y
            place += 2
            letter = {"M": "L", "m": "l"}.get(letter, letter)
        found.append((x, y))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_shorter_course_leads_through_the_same_points(seed):
    random = np.random.default_rng(seed)
    corners = random.uniform(-50, 900, size=(40, 2))
    corners[1::3, 0] = corners[::3, 0][: len(corners[1::3])]  # straight up
    corners[2::3, 1] = corners[1::3, 1][: len(corners[2::3])]  # straight across
    corners[20:] = corners[20] + random.uniform(-3, 3, size=(20, 2)).cumsum(0)  # small steps, shorter as ways
    codes = [Course.MOVETO if place % 7 == 0 else Course.LINETO for place in range(len(corners))]
    words = {Course.MOVETO: "M", Course.LINETO: "L"}
    course = "\n".join(f"{words[code]} {x:.6f} {y:.6f}" for code, (x, y) in zip(codes, corners, strict=True))
    short = short_courses.shorter(course)
    assert np.abs(np.array(points(short)) - corners).max() <= 0.005 + 1e-9
    assert len(short) < 0.6 * len(course)
    assert all(set(letters) & set(short) for letters in ("lm", "Hh", "Vv"))


@pytest.mark.parametrize(
    ("course", "drawn", "filled"),
    [
        ("M 1 2 \nL 3 2 \nL 3 4 \nL 1 2 \n", "M1 2H3V4L1 2", "M1 2H3V4"),
        ("M 1 2 \nL 3 2 \nL 3 4 \nz \nM 5 5 \nL 6 5 \nL 6 7 \nL 5 5 \nz", "M1 2H3V4zM5 5H6V7L5 5z", "M1 2H3V4M5 5H6V7"),
    ],
)
def test_the_last_side_of_what_is_filled_goes_and_of_what_is_drawn_stays(course, drawn, filled):
    assert short_courses.shorter(course) == drawn
    assert short_courses.shorter(course, filled=True) == filled


def test_a_curve_keeps_its_letters():
    assert short_courses.shorter("M 1.23456 2 \nC 1 2 3.999999 4 5 6 \nz ") == "M1.23 2C1 2 4 4 5 6z"
    assert short_courses.shorter("M 101 102 \nC 102 102 102.5 103 103 104 \n") == "M101 102c1 0 1.5 1 2 2"


def test_what_has_neither_fill_nor_stroke_goes_and_all_else_stays():
    empty = '<path d="M 1 2 \nL 3 4 \n" clip-path="url(#a)" style="fill: none"/>'
    stroked = '<path d="M 1 2 \nL 3 4 \n" clip-path="url(#a)" style="fill: none; stroke: currentColor"/>'
    drawing = f"{HEAD}<g>\n{empty}\n{stroked}\n</g></svg>"
    assert light_drawings.finish(f"<p>{drawing}</p>", "page") == (
        f'<p>{HEAD.strip()}<path d="M1 2 3 4" clip-path="url(#a)" style="fill:none;stroke:currentColor"/></svg></p>'
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
    assert drawn == {"fill:red;fill-opacity:.11": "M0 0H1M1 0H2M3 0H4", "fill:red;fill-opacity:.5": "M2 0H3"}


def test_names_become_short_and_lead_where_they_did_and_those_of_two_drawings_differ():
    def drawing(number):
        name = f"figure-{number}-0a1b2c3d-"
        parts = f'<defs><path id="{name}m"/><i id="{name}p"/></defs><use href="#{name}m"/>'
        parts += f'<use id="{name}u"/><g clip-path="url(#{name}p)"><a/><b/></g>'
        return light_drawings.finish(f"{HEAD}{parts}</svg>", "page")

    one, two = drawing(1), drawing(2)
    assert re.findall(r'(?:id="|href="#|url\(#)([\w-]+)', one) == ["f1-0", "f1-1", "f1-0", "f1-1"]
    assert not set(re.findall(r'id="([^"]*)', one)) & set(re.findall(r'id="([^"]*)', two))


def test_fonts_are_named_once_where_all_words_have_the_same():
    words = """<text style="font-size: 10px; font-family: 'DejaVu Sans', 'Arial', sans-serif; fill: red">a</text>"""
    head = '<svg role="img" style="min-width: 519px">'
    drawing = light_drawings.finish(f"{head}{words}{words}</svg>", "page")
    assert drawing.count("font-family") == 1 and drawing.count("font-size:10px;fill:red") == 1
    assert drawing.startswith("""<svg role="img" style="font-family:'DejaVu Sans', 'Arial', sans-serif;min-width""")
    other = words.replace("Arial", "Times")
    assert light_drawings.finish(f"{head}{words}{other}</svg>", "page").count("font-family") == 2


def grid(cells, look):
    """The cells of a map, at columns and rows of a plane whose cells are 10.5 by 20.25."""
    return "".join(
        f'\n<path d="M {x} {y} \nL {x + 10.5} {y} \nL {x + 10.5} {y + 20.25} \nL {x} {y + 20.25} \nL {x} {y} \n" '
        f'clip-path="url(#c)" style="{look}"/>'
        for x, y in ((3.25 + 10.5 * column, 7.125 + 20.25 * row) for column, row in cells)
    )


def test_cells_that_are_all_as_large_are_said_by_column_and_row():
    cells = [(0, 0), (1, 0), (2, 1), (0, 2)]
    drawing = light_drawings.finish(
        f'{HEAD}<g id="figure-1-0a1b2c3d-QuadMesh_1">{grid(cells, "fill: red")}</g></svg>', "page"
    )
    assert '<g clip-path="url(#c)"><g transform="matrix(10.5 0 0 20.25 3.25 7.125)">' in drawing
    assert '<path d="M0 0H1V1H0M1 0H2V1H1M2 1H3V2H2M0 2H1V3H0" style="fill:red"/>' in drawing


@pytest.mark.parametrize("other", ["M 90 1 \nL 95 1 \nL 95 9 \nL 90 9 \n", "M 90 1 \nL 95 9 \nL 90 9 \n"])
def test_cells_of_other_sizes_and_cells_with_edges_keep_their_places(other):
    def drawn(cells):
        return light_drawings.finish(f'{HEAD}<g id="figure-1-0a1b2c3d-QuadMesh_1">{cells}</g></svg>', "page")

    odd = f'<path d="{other}" clip-path="url(#c)" style="fill: red"/>'
    assert "matrix" not in drawn(grid([(0, 0), (1, 0)], "fill: red") + odd)
    assert "matrix" not in drawn(grid([(0, 0), (1, 0)], "fill: red; stroke: blue"))


def test_what_neighbours_have_in_common_is_said_by_a_group_and_what_one_says_itself_stays_its_own():
    words = "".join(
        f'<g id="figure-1-0a1b2c3d-text_{x}"><text style="font-size: 10px; fill: {fill}" x="{x}.123456" y="2.5" '
        f'transform="rotate(-0 {x}.123456 2.5)">{x}</text></g>'
        for x, fill in enumerate(["crimson", "crimson", "crimson", "blue"])
    )
    assert light_drawings.finish(f"{HEAD}{words}</svg>", "page").removeprefix(HEAD.strip()) == (
        '<g style="font-size:10px;fill:crimson"><text x=".12" y="2.5">0</text><text x="1.12" y="2.5">1</text>'
        '<text x="2.12" y="2.5">2</text></g><text x="3.12" y="2.5" style="font-size:10px;fill:blue">3</text></svg>'
    )


def test_what_is_turned_stays_turned_and_a_cut_is_never_moved_into_another_plane():
    turned = '<text x="1.123456" transform="rotate(-90 1.123456 20)">a</text>'
    assert 'x="1.12" transform="rotate(-90 1.12 20)"' in light_drawings.finish(f"{HEAD}{turned}</svg>", "page")
    mark = '<g clip-path="url(#c)"><use href="#m" x="1" y="2" style="fill: red"/></g>'
    assert light_drawings.finish(f"{HEAD}{mark}</svg>", "page").count('<g clip-path="url(#c)"><use') == 1
    moved = '<path d="M 0 0 L 1 1" transform="scale(2)" clip-path="url(#c)" style="stroke: red; fill: none"/>'
    assert light_drawings.finish(f"{HEAD}{moved}{moved}</svg>", "page").count("clip-path") == 2


def test_how_see_through_a_part_is_stays_with_the_part():
    parts = '<path d="M 0 0 L 9 0 L 9 9" style="fill: red; opacity: 0.5"/>' * 3
    drawing = light_drawings.finish(f"{HEAD}{parts}</svg>", "page")
    assert drawing.count('style="opacity:0.5"') == 3 and '<g style="fill:red">' in drawing


def test_a_rule_for_all_of_a_page_becomes_one_for_the_drawing():
    rule = '<defs>\n  <style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style>\n </defs>'
    drawing = light_drawings.finish(f"{HEAD}{rule}<text>a</text></svg>", "page")
    assert "<style" not in drawing and 'style="stroke-linejoin:round;stroke-linecap:butt"' in drawing


@pytest.mark.parametrize("broken", ["<g>", "</g>", "<g></i>"])
def test_a_drawing_that_does_not_close_fails_with_the_name_of_its_page(broken):
    with pytest.raises(ValueError, match="chapters/masks: a drawing"):
        light_drawings.finish(f"{HEAD}{broken}</svg>", "chapters/masks")
