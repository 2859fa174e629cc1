r"""Formulas that any notebook can set: without the book's own macros, and with a role's colour written out.

On a page `\query{Q}` is `\class{role-query}{Q}`, which a style sheet colours, for light and for dark. A notebook has no
such style sheet, and VS Code and Colab set formulas with KaTeX, which has no `\class`. So a role becomes
`\textcolor{#…}{Q}`, which MathJax and KaTeX both know, in one colour that reads on either ground.
"""

import re
from functools import cache
from pathlib import Path

ROLES_CSS = Path(__file__).parent / "static" / "roles.css"
LIGHT_GROUND, DARK_GROUND = "#ffffff", "#111111"  # of a notebook, in JupyterLab
_COLOUR = re.compile(r"--role-([a-z]+): (#[0-9a-f]{6});")


def channels(colour):
    """Red, green and blue of "#rrggbb" as linear light, each from 0 to 1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def hexadecimal(light):
    """The other way round."""
    parts = [12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in light]
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def luminance(light):
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def contrast(one, other):
    """The contrast of two colours, from 1 to 21, as WCAG 2 defines it."""
    dim, bright = sorted(luminance(channels(colour)) + 0.05 for colour in (one, other))
    return bright / dim


def between(for_light, for_dark):
    """The mixture of a role's two colours that stands out equally from a light and from a dark ground."""
    grounds = [luminance(channels(ground)) + 0.05 for ground in (LIGHT_GROUND, DARK_GROUND)]
    wanted = (grounds[0] * grounds[1]) ** 0.5 - 0.05
    one, other = channels(for_light), channels(for_dark)
    share = (wanted - luminance(one)) / (luminance(other) - luminance(one))
    share = min(max(share, 0.0), 1.0)
    return hexadecimal([(1 - share) * a + share * b for a, b in zip(one, other, strict=True)])


@cache
def role_colours(css=ROLES_CSS):
    """One colour for each role, from the two of the book's style sheet: {"query": "#…", …}."""
    found = {}
    for name, colour in _COLOUR.findall(css.read_text(encoding="utf-8")):
        found.setdefault(name, []).append(colour)
    return {name: between(light, dark) for name, (light, dark, *_) in found.items()}


def braced(text, start):
    """The text of the brace group that opens at `start`, and the position after it."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0) if text[position - 1] != "\\" else 0
        if depth == 0:
            return text[start + 1 : position], position + 1
    raise ValueError(f"a brace is not closed in the formula {text!r}")


def expand_macros(latex, macros, colours=None):
    """A formula with the book's own macros written out, and with colours in place of HTML classes.

    Args:
        latex: the formula.
        macros: name to (body, number of arguments).
        colours: the colour of each role; what a class without one marks stays as it is.
    """
    pattern = re.compile(rf"\\({'|'.join([*map(re.escape, macros), 'class'])})(?![A-Za-z])\s*")
    while match := pattern.search(latex):
        name, end = match.group(1), match.end()
        body, count = ("", 2) if name == "class" else macros.get(name, ("", 0))
        arguments = []
        for _ in range(count):
            argument, end = braced(latex, end)
            arguments.append(argument)
        if name == "class":
            colour = (colours or {}).get(arguments[0].removeprefix("role-"))
            body = f"\\textcolor{{{colour}}}{{{arguments[1]}}}" if colour else arguments[1]
        else:
            for number, argument in enumerate(arguments, 1):
                body = body.replace(f"#{number}", argument)
        before, after = latex[: match.start()], latex[end:]
        grouped = before.endswith("{") and after.startswith("}")
        latex = f"{before}{body}{after}" if grouped else f"{before}{{{body}}}{after}"
    return re.sub(r"\{(\{[^{}]*\})\}", r"\1", latex)
