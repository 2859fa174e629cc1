"""Figures whose parts lead somewhere: links laid over a drawing, for the mouse, for a finger and for the keyboard.

The drawing itself is a picture with an alternative text, and a picture has no parts for a screen reader. So the links
are a second drawing of the same size on top of it, which holds nothing else: one transparent rectangle per link. It
shrinks and grows with the picture.
"""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from ..html_tables import template
from .plotting import figure_html

_OVER = """\
<svg class="figure-links" role="group" aria-label="Links of the figure" xmlns="http://www.w3.org/2000/svg"
 width="{{ width }}pt" height="{{ height }}pt" viewBox="0 0 {{ width }} {{ height }}" style="{{ style }}">
{% for link in links %}
<a href="{{ link.address }}" aria-label="{{ link.label }}"><title>{{ link.label }}</title>
{{- "" }}<rect x="{{ link.left }}" y="{{ height - link.bottom - link.height }}" width="{{ link.width }}"
{{- " " }}height="{{ link.height }}" rx="2" fill="transparent"/></a>
{% endfor %}
</svg>"""


class Link(NamedTuple):
    """A rectangle of a drawing that leads somewhere.

    Attributes:
        left, bottom, width, height: the rectangle, in points from the lower left corner of the drawing.
        address: where it leads, as seen from the page.
        label: what it leads to, said without the figure.
    """

    left: float
    bottom: float
    width: float
    height: float
    address: str
    label: str


def linked_html(figure: Figure, links: Sequence[Link], *, alt: str, caption: str) -> str:
    """A figure with links over it; for the other arguments see :func:`figure_html`.

    Args:
        figure: a sheet that is measured in points.
        links: in the order in which the keyboard visits them.

    Raises:
        ValueError: if a link has no address or no label, or lies outside the drawing.
    """
    width, height = (72 * inches for inches in figure.get_size_inches())
    for link in links:
        if not link.address.strip() or not link.label.strip():
            raise ValueError(f"a link needs an address and a label, got {link}")
        right, top = link.left + link.width, link.bottom + link.height
        if link.left < 0 or link.bottom < 0 or right > width + 1e-6 or top > height + 1e-6:
            raise ValueError(f"the link {link.label!r} lies outside the drawing of {width:g} × {height:g} points")
    drawing, end, caption_html = figure_html(figure, alt=alt, caption=caption).rpartition("</svg>")
    same_size = drawing.partition(' style="min-width: ')[2].partition('"')[0]  # what keeps the letters legible
    style = f"grid-area: 1 / 1; min-width: {same_size}"
    over = template(_OVER).render(links=links, width=width, height=height, style=style)
    drawing = drawing.replace(
        'style="overflow-x: auto"', 'style="display: grid; grid-template-columns: minmax(0, 1fr); overflow-x: auto"', 1
    )
    drawing = drawing.replace('style="min-width: ', 'style="grid-area: 1 / 1; min-width: ', 1)
    return drawing + end + over + caption_html


def show_linked(figure: Figure, links: Sequence[Link], *, alt: str, caption: str) -> None:
    """Display a figure with links below the cell. See :func:`linked_html` for the arguments."""
    from IPython.display import HTML, display

    display(HTML(linked_html(figure, links, alt=alt, caption=caption)))
