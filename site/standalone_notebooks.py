"""Sphinx extension: write each page with code cells as a notebook that stands alone, and offer it for download.

The code cells are the page's own, with their tags; a file that they read from beside the page is written by the
notebook itself, in a cell before them; everything between them is plain Markdown made from the resolved
page (`doctree_markdown`). Outputs are left out: the reader's own run makes them. The theme's download button serves
this notebook, and the page's raw source, which needs the book around it, is no longer offered.
"""

import re
from pathlib import Path

import nbformat
from code_digest import files_beside, parsed_cells
from doctree_markdown import CodeCell, MarkdownWriter, Page
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from pybtex.backends.markdown import Backend
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
NOTE = (
    "*This notebook is one page of the book “{title}”. To run it, install the book's package: in a copy of the book's "
    "repository, `pip install --editable '.[notebooks]'`.*"
)
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def page_of(app, docname):
    """What the Markdown writer must know of a page beside its tree."""
    env, base = app.env, app.config.html_baseurl
    citations = env.get_domain("cite").citations if "cite" in env.domains else []
    return Page(
        numbers={
            (kind, name): ".".join(map(str, number))
            for kind, named in env.toc_fignumbers.get(docname, {}).items()
            for name, number in named.items()
        },
        citations={c.citation_id: reference(c.formatted_entry) for c in citations},
        images=Path(app.srcdir),
        link=lambda address: f"{base.rstrip('/')}/{absolute(docname, address)}" if base else None,
        macros={
            name: (body, 0) if isinstance(body, str) else tuple(body[:2])
            for name, body in (app.config.mathjax3_config or {}).get("tex", {}).get("macros", {}).items()
        },
    )


def reference(entry):
    """A formatted entry of the bibliography as one line of Markdown."""
    return re.sub(r"\\([.,:()-])", r"\1", " ".join(entry.text.render(Backend()).split()))


def absolute(docname, address):
    """An address relative to a page, relative to the book instead."""
    parts = docname.split("/")[:-1]
    for part in address.split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def notebook_of(blocks, cells, attachments=(), note="", opening=None):
    """A notebook from Markdown blocks and code cells, in the page's order.

    A cell that the page does not show (tag `remove-cell`) has no place among the blocks; it comes before the next one
    that has. `note` follows the first block, and `opening` is a code cell to run before the page's own.
    """
    waiting = {index: cell for index, cell in enumerate(cells) if cell.cell_type == "code"}
    out, text = [], []

    def flush():
        if text:
            cell = nbformat.v4.new_markdown_cell("\n\n".join(text))
            named = {name: data for name, data in dict(attachments).items() if f"(attachment:{name})" in cell.source}
            if named:
                cell["attachments"] = named
            out.append(cell)
            text.clear()

    def code(up_to):
        for index in [index for index in waiting if index <= up_to]:
            cell = waiting.pop(index)
            flush()
            out.append(nbformat.v4.new_code_cell(cell.source, metadata=dict(cell.metadata)))

    for block in blocks:
        if isinstance(block, CodeCell):
            code(block.index)
            continue
        if block.startswith("#"):
            flush()
        text.append(block)
        if note:
            text.append(note)
            note = ""
    flush()
    code(len(cells))
    if opening:
        out.insert(next(n for n, cell in enumerate(out) if cell.cell_type == "code"), opening)
    for number, cell in enumerate(out):
        cell["id"] = f"cell-{number}"  # the same page gives the same file
    return nbformat.v4.new_notebook(cells=out, metadata={"kernelspec": KERNEL})


def carry_files(cells, folder):
    """The files that the code cells read from beside their page, as a code cell that writes them; None for none.

    The cells are changed to look for them in the working folder.
    """
    code = [cell for cell in cells if cell.cell_type == "code"]
    named = files_beside(parsed_cells([cell.source for cell in code]), folder)
    if not named:
        return None
    lines = ["# The files that this page reads.", "from pathlib import Path", ""]
    for written, path in named.items():
        lines.append(f"Path({path.name!r}).write_text({path.read_text(encoding='utf-8')!r}, encoding='utf-8')")
        for cell in code:
            for quote in "\"'":
                cell.source = cell.source.replace(f"{quote}{written}{quote}", f"{quote}{path.name}{quote}")
    return nbformat.v4.new_code_cell("\n".join(lines) + ";")


def write_notebook(app, doctree, docname):
    source = Path(app.env.doc2path(docname)).read_text(encoding="utf-8")
    if app.builder.name != "html" or not is_myst_markdown_notebook(source):
        return
    cells = read_myst_markdown_notebook(source).cells
    if not any(cell.cell_type == "code" for cell in cells):
        return
    carried = carry_files(cells, Path(app.env.doc2path(docname)).parent)
    writer = MarkdownWriter(page_of(app, docname))
    try:
        blocks = writer.write(doctree)
    except ValueError as error:
        LOGGER.warning("no notebook for this page: %s", error, location=docname)
        return
    notebook = notebook_of(blocks, cells, writer.attachments, NOTE.format(title=app.config.html_title), carried)
    path = notebook_path(app, docname)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def notebook_path(app, docname):
    return Path(app.outdir, "_sources", f"{docname}.ipynb")


def name_notebook(app, pagename, templatename, context, doctree):
    if notebook_path(app, pagename).exists():
        context["ipynb_source"] = f"{pagename}.ipynb"


def drop_source_button(app, pagename, templatename, context, doctree):
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            group["buttons"] = [one for one in group["buttons"] if one["label"] != "download-source-button"]


def setup(app):
    app.connect("doctree-resolved", write_notebook, priority=900)
    app.connect("html-page-context", name_notebook, priority=100)
    app.connect("html-page-context", drop_source_button, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
