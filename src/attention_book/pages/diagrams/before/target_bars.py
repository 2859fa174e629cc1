"""The figures of label smoothing: two rows of bars, one bar per token, such as a certain target and a smoothed one."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from ...figures.plotting import INK
from ..shapes import WIDTH, arrow, box, said, sheet

_STEP, _BAR, _FULL, _FLOOR = 29, 20, 84, 22  # in points: from bar to bar, a bar's width, the height of 1, the baseline
_TITLES = ("certain target", "smoothed target")


def target_bars(
    certain: Sequence[float],
    smoothed: Sequence[float],
    titles: Sequence[str] = _TITLES,
    full: float = 1.0,
    becomes: bool = True,
) -> Figure:
    """Draw two targets over the same tokens, side by side; each bar is as high as its share, which stands above it.

    Args:
        certain: the target with all probability on one token, the first of the figure.
        smoothed: the same target, smoothed.
        titles: what stands above the two, if they are not these targets.
        full: what a bar of full height stands for.
        becomes: whether an arrow leads from the first to the second.

    Raises:
        ValueError: if the two have different numbers of tokens, or there is no room for so many.
    """
    if len(certain) != len(smoothed) or not 1 <= len(certain) <= 5:
        raise ValueError(f"give two targets over the same 1 to 5 tokens, not over {len(certain)} and {len(smoothed)}")
    wide = _STEP * len(certain)
    with sheet(_FLOOR + _FULL + 34) as axes:
        for left, name, shares in ((0, titles[0], certain), (WIDTH - wide, titles[1], smoothed)):
            said(axes, (left + wide / 2, _FLOOR + _FULL + 25), name)
            axes.plot([left, left + wide], [_FLOOR, _FLOOR], color=INK, linewidth=1)
            for place, share in enumerate(shares):
                x, high = left + _STEP * (place + 0.5), _FULL * float(share) / full
                box(axes, (x, _FLOOR + high / 2), (_BAR, high), f"{name} {place}", facecolor=INK, linewidth=0)
                said(axes, (x, _FLOOR + high + 8), f"{share:.3g}")
                said(axes, (x, _FLOOR - 9), str(place + 1))
        if becomes:
            arrow(axes, (wide + 6, _FLOOR + _FULL / 2), (WIDTH - wide - 6, _FLOOR + _FULL / 2))
    return axes.figure


def target_bars_told(
    certain: Sequence[float], smoothed: Sequence[float], titles: Sequence[str] = _TITLES, what: str = "targets"
) -> str:
    """The figure of :func:`target_bars` in words; ``what`` says of what there are two."""
    shares = (", ".join(f"{share:.3g}" for share in target) for target in (certain, smoothed))
    told = (f"{name.capitalize()}: {listed}." for name, listed in zip(titles, shares, strict=True))
    return " ".join([f"Two {what} over {len(certain)} tokens, a bar per token.", *told])
