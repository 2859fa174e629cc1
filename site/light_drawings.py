"""Drawings without what nobody sees of them (one of the hands of `finished_pages`).

Matplotlib writes a point with six decimals, of which a screen shows two at most, on a line of its own; it names its
fonts with every word; it draws the empty cells of a heat map, paths without fill and without stroke; and each other
cell by itself, where one path can draw all cells of a shade. Shades are told apart to a hundredth, which no eye does.
"""

import re

DRAWING = re.compile(r"<svg role=\"img\".*?</svg>", re.S)
COURSE = re.compile(r"(<path [^>]*?\bd=\")([^\"]*)(\")", re.S)
LINE = re.compile(r"([ML])(-?[\d.]+) (-?[\d.]+)")
NUMBER = re.compile(r"-?\d+\.\d{3,}")
INVISIBLE = re.compile(r"\s*<path d=\"[^\"]*\" clip-path=\"[^\"]*\" style=\"fill: none\"/>")
BETWEEN = re.compile(r">\s*\n\s*<")
MAP = re.compile(r"(<g id=\"[^\"]*QuadMesh_\d+\">)((?:\s*<path d=\"[^\"]*\"[^>]*/>)+)")
CELL = re.compile(r"<path d=\"([^\"]*)\"([^>]*)/>")
SHADE = re.compile(r"(fill-opacity: )(\d*\.\d{3,})")
FONTS = re.compile(r"font-family: [^;\"]*'[^;\"]*; ")
NAME = re.compile(r"(\bid=\"|href=\"#|url\(#)(figure-(\d+)-[0-9a-f]{8}-[\w-]+)")


def rounded(match):
    """A number with two decimals, and without those that are zero."""
    return f"{float(match.group(0)):.2f}".rstrip("0").rstrip(".")


def shorter(course):
    """The course of a path (`M 1.234567 2 \\nL …`) in fewer letters."""
    course = re.sub(r"\s*([MLCQzZHV])\s*", r"\1", NUMBER.sub(rounded, " ".join(course.split())))
    if set(re.findall("[A-Za-z]", course)) - {"M", "L"}:
        return course
    here, short = (None, None), []
    for letter, x, y in LINE.findall(course):  # straight lines alone: across and up need one number each
        across, up = letter == "L" and y == here[1], letter == "L" and x == here[0]
        short.append(f"H{x}" if across else f"V{y}" if up else f"{letter}{x} {y}")
        here = (x, y)
    return "".join(short)


def by_shade(match):
    """The cells of a heat map, which do not overlap: one path for all of a shade."""
    shades = {}
    for course, look in CELL.findall(match.group(2)):
        look = SHADE.sub(lambda one: one.group(1) + f"{round(float(one.group(2)), 2):g}", look)
        shades.setdefault(look, []).append(course)
    return match.group(1) + "".join(f'<path d="{"".join(courses)}"{look}/>' for look, courses in shades.items())


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
    """A drawing of Matplotlib's that looks the same. What it defines, in its own units, and words stay as they are."""
    drawing = INVISIBLE.sub("", drawing)
    parts = re.split(r"(<defs>.*?</defs>|<text.*?</text>)", drawing, flags=re.S)
    for place, part in enumerate(parts[::2]):
        part = COURSE.sub(lambda match: match.group(1) + shorter(match.group(2)) + match.group(3), part)
        parts[2 * place] = BETWEEN.sub("><", part)
    return with_short_names(named_once(MAP.sub(by_shade, "".join(parts))))


def finish(html, page):
    return DRAWING.sub(lambda match: lighter(match.group(0)), html)
