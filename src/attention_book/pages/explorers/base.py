"""What all explorers share: an anywidget that also has a form for pages without a kernel.

In a running notebook an explorer is an ordinary widget, whose traits Python reads and writes. The book's build takes
its ``text/html`` instead: the explorer in words, and, as JSON, its front-end module, style sheet and traits. The
script ``site/static/explorers.js`` of the built page runs that module with a model of its own.
"""

import html
import json
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

import anywidget
import traitlets

from ..figures.plotting import ROLES

_HERE = Path(__file__).parent
_LOCAL_IMPORT = re.compile(r'^import\s[^;]*?\sfrom\s"(?P<path>\.\.?/[\w./]+)";\n', re.MULTILINE)


def joined(*names: str) -> str:
    """Several JavaScript files of this folder as one module, because a widget's front end is one module.

    Args:
        names: of files, such as ``"parts.js"`` or ``"translator/merges.js"``, each after those it imports from.

    Returns:
        Their text, without the imports from one another; what each exports is exported by the whole.

    Raises:
        ValueError: if a file imports from one that is not listed before it.
    """
    texts = []
    for n, name in enumerate(names):
        text = (_HERE / name).read_text(encoding="utf-8")
        for wanted in _LOCAL_IMPORT.finditer(text):
            imported = posixpath.normpath(posixpath.join(posixpath.dirname(name), wanted["path"]))
            if imported not in names[:n]:
                raise ValueError(f"{name} imports {imported}, which must be listed before it")
        texts.append(_LOCAL_IMPORT.sub("", text))
    return "\n".join(texts)


def front_end(*names: str) -> str:
    """The module of one explorer: its files, after those that all explorers share.

    Args:
        names: of files, each after those it imports from, such as ``"jacobian.js"``, or ``"translator/merges.js"`` for
            one in the folder of a part. What the last one exports by default is the explorer.
    """
    return joined("arithmetic.js", "parts.js", "live.js", *names)


def style_sheet() -> str:
    """The style of all explorers, with the colours of the roles for pages that do not define them (notebooks)."""
    light = "".join(f"--explorer-{name}: {role.light}; " for name, role in ROLES.items())
    dark = "".join(f"--explorer-{name}: {role.dark}; " for name, role in ROLES.items())
    colours = f".explorer-body {{ {light}}}\n[data-jp-theme-light=false] .explorer-body {{ {dark}}}\n"
    return colours + (_HERE / "explorers.css").read_text(encoding="utf-8")


def require_no_faults(faults: Sequence[str]) -> None:
    """Refuse traits that do not fit together.

    Raises:
        TraitError: with all faults, and how several traits are changed at once.
    """
    if faults:
        raise traitlets.TraitError(
            "; ".join(faults) + ". To change sizes, set everything inside `with explorer.hold_trait_notifications():`."
        )


class Explorer(anywidget.AnyWidget):
    """A figure to play with. Subclasses define `title`, ``_esm``, synced traits, and `in_words`.

    One that stands in the first view of a page has `heights`, too: how high it is at first in a wide and in a narrow
    column, in pixels. A built page keeps this place free until the explorer is there, so that nothing moves.
    """

    title = ""
    heights: tuple[int, int] | None = None
    _css = style_sheet()

    def in_words(self) -> str:
        """What the figure shows now, with its numbers: the text alternative."""
        raise NotImplementedError(f"{type(self).__name__} must say in words what it shows")

    def state(self) -> dict:
        """The traits that the front end reads, by name: those that the subclass added to the ordinary widget's."""
        known = anywidget.AnyWidget.class_trait_names()
        return {name: getattr(self, name) for name in sorted(self.keys) if name not in known and name[0] != "_"}

    def static_html(self) -> str:
        """The explorer for a page without a kernel; without JavaScript it is its words."""
        parts = {"esm": str(self._esm), "css": str(self._css), "state": self.state()}
        # "<" must not end the script element, whatever the module or a trait holds
        data = json.dumps(parts, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
        title, words = html.escape(self.title), html.escape(self.in_words())
        sizes = zip(("wide", "narrow"), self.heights or (), strict=False)
        place = "".join(f"--explorer-{column}: {height}px; " for column, height in sizes)
        style = f' style="{place.strip()}"' if place else ""
        return (
            f'<div class="explorer" role="group" aria-label="Explorer: {title}"{style}>\n'
            f"<p><strong>{title}.</strong> {words}</p>\n"
            f'<p class="explorer-waits">To change the numbers, allow JavaScript on this page.</p>\n'
            f'<script type="application/json">{data}</script>\n</div>'
        )

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/plain": f"{self.title}. {self.in_words()}", "text/html": self.static_html()}, metadata
