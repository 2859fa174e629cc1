"""Sphinx extension: draw `favicon.ico` from icon.svg, at the root of the built book.

Pages name the SVG (`html: favicon:` in _config.yml). What is no page of ours (the first address, which only leads on, a
script, a picture on its own) names nothing: there a browser asks for /favicon.ico, and older ones everywhere.
The drawing is of rectangles alone, on a grid of 16 by 16, so that it is sharp at 16 pixels and can be drawn here.
"""

import xml.etree.ElementTree as ET
from pathlib import Path

from PIL import Image, ImageColor, ImageDraw

DRAWING = Path(__file__).with_name("icon.svg")
GRID = 16
SIZES = (16, 32, 48)  # multiples of the grid, so that no edge falls between two pixels
FINER = 8  # corners of an icon are drawn this much finer and averaged


def drawn(size, drawing=DRAWING, finer=FINER):
    """The drawing as a picture of `size` by `size` pixels, drawn `finer` times as large and averaged.

    Raises:
        ValueError: if it holds something else than rectangles.
    """
    scale = size * finer // GRID
    picture = Image.new("RGBA", (size * finer, size * finer))
    for shape in ET.parse(drawing).getroot():
        kind = shape.tag.rpartition("}")[2]
        if kind == "title":
            continue
        if kind != "rect":
            raise ValueError(f"{drawing.name}: favicon.py draws rectangles alone, and this is a {kind}")
        x, y, width, height, radius = (float(shape.get(key, 0)) for key in ("x", "y", "width", "height", "rx"))
        colour = (*ImageColor.getrgb(shape.get("fill")), round(255 * float(shape.get("fill-opacity", 1))))
        layer = Image.new("RGBA", picture.size)
        first, last = (x * scale, y * scale), ((x + width) * scale - 1, (y + height) * scale - 1)  # both belong to it
        ImageDraw.Draw(layer).rounded_rectangle((first, last), radius * scale, fill=colour)
        picture.alpha_composite(layer)
    return picture.reduce(finer)


def write_icon(app, exception):
    if exception is None and app.builder.format == "html":
        first, *others = (drawn(size) for size in reversed(SIZES))
        sizes = [(size, size) for size in SIZES]
        first.save(Path(app.outdir, "favicon.ico"), format="ICO", append_images=others, sizes=sizes)


def setup(app):
    app.connect("build-finished", write_icon)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
