"""Drawings without what nobody sees of them (one of the hands of `finished_pages`).

Matplotlib writes a point with six decimals, of which a screen shows two at most; it names its fonts with every word,
and the look of each part with that part; each part has a group and a name of its own; it draws the empty cells of a
heat map, paths without fill and without stroke; and each other cell by itself, where one path can draw all cells of a
shade. Shades are told apart to a hundredth, which no eye does.
"""

import re

from drawing_parts import CUT, LEAVES, Part, declarations, gathered, read, unwrapped
from short_courses import said, shorter

DRAWING = re.compile(r"<svg role=\"img\".*?</svg>", re.S)
CORNER = re.compile(r"[ML]\s*(-?[\d.]+) (-?[\d.]+)")
SHADE = re.compile(r"(?<=opacity:)\d*\.\d+")
FONTS = re.compile(r"font-family: [^;\"]*'[^;\"]*; ")
NAME = re.compile(r"(\bid=\"|href=\"#|url\(#)(figure-(\d+)-[0-9a-f]{8}-[\w.-]+)")
LEADS = re.compile(r"(?:href=\"#|url\(#)([\w.-]+)")
NUMBER = re.compile(r"-?\d*\.?\d+")
UPRIGHT = re.compile(r"\s*rotate\(-?0(?:\.0*)?(?: [-\d. ]*)?\)")
EVERYWHERE = re.compile(r"<defs>\s*<style type=\"text/css\">\*\{([^{}]*)\}</style>\s*</defs>")
UNREAD = ("xmlns:xlink", "version")
EXACT = 0.002  # of a cell


def hundredths(text):
    """A text with its numbers rounded to hundredths."""
    return NUMBER.sub(lambda one: said(round(float(one.group(0)) * 100)), text)


def lattice(cells):
    """The columns and rows of a map whose cells are all as large as each other.

    Args:
        cells: the corners of each cell, in points.

    Returns:
        How the plane of columns and rows lies in the drawing, as the numbers of a `matrix(…)`, and the column and the
        row of each cell; None if there is no such plane.
    """
    boxes = []
    for corners in cells:
        across, up = sorted({x for x, _ in corners}), sorted({y for _, y in corners})
        if len(across) != 2 or len(up) != 2 or len(set(corners)) != 4:
            return None
        boxes.append((across[0], up[0], across[1], up[1]))
    left, top, right, bottom = (
        choose(box[k] for box in boxes) for k, choose in enumerate((min, min, max, max))
    )  # fmt: skip
    width = (right - left) / round((right - left) / (boxes[0][2] - boxes[0][0]))
    height = (bottom - top) / round((bottom - top) / (boxes[0][3] - boxes[0][1]))
    places = []
    for box in boxes:
        place = ((box[0] - left) / width, (box[1] - top) / height, (box[2] - left) / width, (box[3] - top) / height)
        column, row, *end = (round(one) for one in place)
        if max(abs(one - round(one)) for one in place) > EXACT or end != [column + 1, row + 1]:
            return None
        places.append((column, row))
    return (width, 0, 0, height, left, top), places


def by_shade(cells):
    """The cells of a heat map, which do not overlap: one path for all of a shade.

    Cells that are as large as each other, and have no edges, are said by their columns and rows.
    """
    courses = [" ".join(cell.attributes["d"].split()) for cell in cells]
    cuts = {one for cell in cells for one in cell.look if one.startswith(CUT)}
    edges = any(one.startswith("stroke:") for cell in cells for one in cell.look)
    corners = [[(float(x), float(y)) for x, y in CORNER.findall(course)] for course in courses]
    plane = None if edges or len(cuts) > 1 else lattice(corners)
    if plane:
        courses = [f"M{x} {y}L{x + 1} {y}L{x + 1} {y + 1}L{x} {y + 1}" for x, y in plane[1]]
    shades = {}
    for course, cell in zip(courses, cells, strict=True):
        look = tuple(SHADE.sub(lambda one: hundredths(one.group(0)), one) for one in cell.look)
        shades.setdefault(tuple(one for one in look if not (plane and one in cuts)), []).append(course)
    paths = [Part("path", {"d": "".join(shades[look])}, look) for look in sorted(shades)]
    if not plane:
        return paths
    numbers = " ".join(f"{one:.6f}".rstrip("0").rstrip(".") for one in plane[0])
    return [Part("g", {}, cuts, [Part("g", {"transform": f"matrix({numbers})"}, (), paths)])]


def invisible(part):
    return part.name == "path" and "fill:none" in part.look and not any(one.startswith("stroke:") for one in part.look)


def simpler(part, leads):
    """The part, and what is in it, without what nobody sees: the parts that stand in its place.

    Args:
        part: the part, which is changed.
        leads: the names that some other part leads to.
    """
    if not isinstance(part, Part):
        return [part]
    name = part.attributes.get("id", "")
    if name not in leads:
        part.attributes.pop("id", None)
    if part.name == "path":
        stroked = any(one.startswith("stroke:") for one in part.look)
        part.attributes["d"] = shorter(part.attributes["d"], filled=not stroked)
        return [part]
    if part.name in ("text", "use"):
        for one in ("x", "y"):
            if NUMBER.fullmatch(part.attributes.get(one, "")):
                part.attributes[one] = hundredths(part.attributes[one])
        turned = hundredths(UPRIGHT.sub("", part.attributes.pop("transform", "")).strip())
        part.attributes |= {"transform": turned} if turned else {}
    if part.name in LEAVES:
        return [part]
    inside = [one for one in part.inside if not (isinstance(one, Part) and invisible(one))]
    if inside and "QuadMesh" in name and all(isinstance(one, Part) and one.name == "path" for one in inside):
        inside = by_shade(inside)
    part.inside = unwrapped([other for one in inside for other in simpler(one, leads)])
    return [] if part.name == "g" and not part.inside and "id" not in part.attributes else [part]


def named_once(drawing):
    """The drawing with the fonts of its words named by itself, if all its words have the same."""
    fonts = set(FONTS.findall(drawing))
    if len(fonts) != 1 or 'style="min-width: ' not in drawing:
        return drawing
    return FONTS.sub("", drawing).replace('style="min-width: ', f'style="{fonts.pop()}min-width: ', 1)


def with_short_names(drawing):
    """The drawing with short names for its parts, which differ from those of every other drawing as before."""
    names = {}
    for _, name, number in NAME.findall(drawing):
        names.setdefault(name, f"f{number}-{len(names)}")
    return NAME.sub(lambda match: match.group(1) + names[match.group(2)], drawing)


def lighter(drawing):
    """A drawing of Matplotlib's that looks the same. What it defines, in its own units, and words stay as they are.

    Raises:
        ValueError: if its elements do not close each other.
    """
    drawing = named_once(drawing.replace("xlink:href=", "href="))
    everywhere = EVERYWHERE.search(drawing)  # for all of the page, as it stands there: what it says is for the drawing
    top = read(EVERYWHERE.sub("", drawing))
    top.look += declarations(everywhere.group(1)) if everywhere else []
    [top] = simpler(top, set(LEADS.findall(drawing)))
    top.attributes = {name: value for name, value in top.attributes.items() if name not in UNREAD}
    top.inside = gathered(top.inside)
    return with_short_names(str(top))


def finish(html, page):
    """The page with light drawings.

    Raises:
        ValueError: if the elements of a drawing do not close each other.
    """
    try:
        return DRAWING.sub(lambda match: lighter(match.group(0)), html)
    except ValueError as error:
        raise ValueError(f"{page}: {error}") from None
