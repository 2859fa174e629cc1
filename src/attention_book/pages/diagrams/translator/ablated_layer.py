"""The figure of a layer with the places where the ablations change it."""

from matplotlib.figure import Figure

from ...figures.plotting import INK, ROLES
from ..shapes import arrow, box, said, sheet

WHOLE = "whole"
LABELS = {
    WHOLE: "the whole model",
    "no_scale": "no division by √d_k",
    "no_positions": "no positions",
    "learned_positions": "learned positions",
    "rotary_positions": "rotary positions",
    "no_residuals": "no residual sums",
    "post_norm": "normalised after the sum",
    "no_feed_forward": "no feed-forward",
    "one_head": "one head",
    "no_warm_up": "no warm-up",
    "smoothed_labels": "smoothed targets",
}
"""What the page calls each arm."""
PLACES = {
    "positions": ("word + position", ("no_positions", "learned_positions", "rotary_positions")),
    "norm": ("norm", ("post_norm",)),
    "attention": ("attention", ("no_scale", "one_head")),
    "sum": ("+", ("no_residuals",)),
    "feed_forward": ("feed-forward", ("no_feed_forward",)),
    "training": ("training", ("no_warm_up", "smoothed_labels")),
}
"""What each place is called, and which arms change it."""
_HEIGHT, _MIDDLE, _STREAM, _TOLD = 318.0, 96.0, 26.0, 178.0  # in points
_UP = {  # the height of the middle of each box; a norm and a sum stand at two sublayers
    "positions": (24.0,),
    "norm": (68.0, 172.0),
    "attention": (100.0,),
    "sum": (136.0, 240.0),
    "feed_forward": (204.0,),
    "training": (296.0,),
}
_ROLE = {"attention": "weight"}


def ablated_layer() -> Figure:
    """A layer from below: what each box is, and beside it the arms that change or remove it."""
    with sheet(_HEIGHT) as axes:
        for place, (name, arms) in PLACES.items():
            width = 22.0 if place == "sum" else 92.0
            colour = {"facecolor": ROLES[_ROLE[place]].light + "22"} if place in _ROLE else {}
            for number, up in enumerate(_UP[place]):
                box(axes, (_MIDDLE, up), (width, 20), f"{place}-{number}", **colour)
                said(axes, (_MIDDLE, up), name)
            first = _UP[place][0]
            axes.plot(
                [_MIDDLE + width / 2 + 2, _TOLD - 5], [first, first], color=INK, linewidth=0.8, linestyle=":", gid=place
            )
            said(axes, (_TOLD, first), "\n".join(LABELS[arm] for arm in arms), ha="left")
        steps = sorted(up for place, heights in _UP.items() if place != "training" for up in heights)
        for below, above in zip(steps, [*steps[1:], 270.0], strict=True):
            arrow(axes, (_MIDDLE, below + 10), (_MIDDLE, above - 10), mutation_scale=8)
        for start, end in ((46.0, 136.0), (150.0, 240.0)):  # the residual streams around both sublayers
            axes.plot([_MIDDLE, _STREAM, _STREAM], [start, start, end], color=INK, linewidth=1.2)
            arrow(axes, (_STREAM, end), (_MIDDLE - 12, end), mutation_scale=8)
        said(axes, (_MIDDLE, 268), "to the next layer")
    return axes.figure


def ablated_layer_told() -> str:
    """The figure of :func:`ablated_layer` in words."""
    changed = "; ".join(f"{name}: {', '.join(LABELS[arm] for arm in arms)}" for name, arms in PLACES.values())
    return (
        "A layer from below: word and position, norm, attention, a sum with what came in, norm, feed-forward, a "
        f"second sum, and the next layer. The places with the {len(LABELS) - 1} arms that change them, beside "
        f"{LABELS[WHOLE]}. {changed}."
    )
