"""Where the letters of a diagram stand and how large they are on a phone, for the tests of all diagrams."""

from matplotlib.backends.backend_agg import FigureCanvasAgg

_ROOM = 311  # CSS pixels that a page leaves for a figure on a screen of 375


def letters(axes):
    """The texts that are written on a sheet; an arrow is a text without letters. A sheet without any is an error."""
    found = [text for text in axes.texts if text.get_text()]
    assert found, "the sheet has no letters"
    return found


def outside(axes):
    """The texts that leave the sheet on some side."""
    width, height = axes.figure.get_size_inches() * 72
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    found = []
    for text in letters(axes):
        extent = text.get_window_extent(renderer).transformed(axes.transData.inverted())
        if not (extent.x0 >= 0 and extent.x1 <= width and extent.y0 >= 0 and extent.y1 <= height):
            found.append(text.get_text())
    return found


def smallest_type(figure):
    """The size of a figure's smallest letters in CSS pixels, on a phone that shows the whole width of the figure."""
    sizes = [text.get_fontsize() for axes in figure.axes for text in letters(axes)]
    return min(sizes) * min(1.0, _ROOM / (figure.get_figwidth() * 72))
