"""What `make edit` saves: a page's source, in which nothing changes but what its author edited.

Jupytext opens the MyST source of a page as a notebook. Left to itself it writes the whole file anew on saving: with its
own version in the header, the name of the kernel, long lines of `covers` broken up and blank lines added. Here a saved
notebook is compared with the notebook that the file on disk makes, both as Jupytext writes them, and only the lines in
which these two differ are changed in the file.
"""

from difflib import SequenceMatcher
from pathlib import Path

import jupytext
import nbformat
from jupytext import TextFileContentsManager
from jupytext.config import JupytextConfiguration

JUPYTERS_OWN = ("jupytext", "kernelspec", "language_info")
KEPT = JupytextConfiguration(notebook_metadata_filter="all,-jupytext.text_representation.jupytext_version")


def edited_source(before, notebook):
    """The text of a page after its notebook was saved.

    Args:
        before: text of the file on disk.
        notebook: the notebook as it was saved, an `nbformat` node.

    Returns:
        `before` with the lines changed that the author changed; `before` itself when no cell and no entry of the header
        differs. The names of the kernel and of Jupytext's versions in the header stay as they are.
    """
    old = jupytext.reads(before, fmt="md", config=KEPT)
    new = nbformat.from_dict(notebook)
    entries = {name: value for name, value in new.metadata.items() if name not in JUPYTERS_OWN}
    own = {name: value for name, value in old.metadata.items() if name in JUPYTERS_OWN or name in entries}
    new.metadata = nbformat.from_dict({**own, **entries})
    written = [jupytext.writes(one, fmt=_format(old), config=KEPT).splitlines(keepends=True) for one in (old, new)]
    return before if written[0] == written[1] else "".join(_merged(before.splitlines(keepends=True), *written))


def _format(notebook):
    form = notebook.metadata.get("jupytext", {}).get("text_representation", {}).get("format_name", "markdown")
    return {"extension": ".md", "format_name": form}


def _merged(before, old, new):
    """The lines of `before`, which say the same as `old`, with what turns `old` into `new` done to them."""
    out = []
    for what, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        out += _as_before(before, old, start, end) if what == "equal" else new[new_start:new_end]
    return out


def _as_before(before, old, start, end):
    """Lines `start` to `end` of `old`, laid out as they are in `before`.

    A stretch that is laid out differently and reaches beyond `start` or `end` stays as in `old`.
    """
    out = []
    for what, first, last, line, line_end in SequenceMatcher(None, old, before, autojunk=False).get_opcodes():
        low, high = max(first, start), min(last, end)
        if what == "equal" and low < high:
            out += before[line + low - first : line + high - first]
        elif what != "equal" and start <= first and last <= end and (first < last or start < first or start == 0):
            out += before[line:line_end]
        elif low < high:
            out += old[low:high]
    return out


class PageSources(TextFileContentsManager):
    """Jupyter's files, with MyST sources as notebooks that are saved line by line."""

    def save(self, model, path=""):
        """Save a file; that of a page, only where it was edited. Returns the file's model without its content."""
        path = path.strip("/")
        if model["type"] != "notebook" or not path.endswith(".md") or not self.file_exists(path):
            return super().save(model, path)
        before = Path(self._get_os_path(path)).read_text(encoding="utf-8")
        text = edited_source(before, model["content"])
        if text != before:
            self.super.save({"type": "file", "format": "text", "content": text}, path)
        return self.get(path, content=False)
