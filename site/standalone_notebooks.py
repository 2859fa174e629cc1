"""Sphinx extension: write each page with code cells as a notebook that stands alone, and offer it for download.

The code cells are the page's own, with their tags (`notebook_cells`); a file that they read from beside the page is
written by the notebook itself, in a cell before them; everything between them is plain Markdown made from the resolved
page (`doctree_markdown`). Outputs are left out: the reader's own run makes them. The theme's download button serves
this notebook, and the page's raw source, which needs the book around it, is no longer offered.

The first code cell installs the book's package from where the setting `book_source` says that pip finds it, or else
from the published book (`served_package`).
"""

import re
from pathlib import Path, PurePosixPath

import nbformat
from code_digest import files_beside, parsed_cells
from doctree_markdown import MarkdownWriter
from docutils import nodes
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from notebook_blocks import Page
from notebook_cells import code_cell, notebook_of, setup_cell
from plain_tex import role_colours
from pybtex.backends.markdown import Backend
from served_package import source_of_package
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
NOTE = (
    "*This notebook is one page of the book “{title}”. Its first code cell looks for the book's package and says how "
    "to install it. Links to other pages lead to the other notebooks of the same folder. If this notebook was "
    "downloaded alone, they lead nowhere: `make notebooks`, in a copy of the book's repository, writes all of them.*"
)
DEVANAGARI = re.compile("[\u0900-\u097f]")


def page_of(app, docname):
    """What the Markdown writer must know of a page beside its tree."""
    env = app.env
    citations = env.get_domain("cite").citations if "cite" in env.domains else []
    return Page(
        numbers={
            (kind, name): ".".join(map(str, number))
            for kind, named in env.toc_fignumbers.get(docname, {}).items()
            for name, number in named.items()
        },
        citations={c.citation_id: reference(c.formatted_entry) for c in citations},
        images=Path(app.srcdir),
        link=lambda address: link_from(app, docname, address),
        macros={
            name: (body, 0) if isinstance(body, str) else tuple(body[:2])
            for name, body in (app.config.mathjax3_config or {}).get("tex", {}).get("macros", {}).items()
        },
        colours=role_colours(),
    )


def link_from(app, docname, address):
    """Where a page's link to another page leads in its notebook: to that page's notebook, or to the built page.

    Returns:
        An address relative to this notebook, which lies where its page lies; for a page that has no notebook an address
        of the published book, or None if nobody has said where that is.
    """
    if address.startswith("#"):
        return None
    target, base = absolute(docname, address), app.config.html_baseurl
    page = PurePosixPath(target.partition("#")[0])
    if page.suffix == ".html" and has_notebook(app, str(page.with_suffix(""))):
        return str(PurePosixPath(address.partition("#")[0]).with_suffix(".ipynb"))
    return f"{base.rstrip('/')}/{target}" if base else None


def page_cells(app, docname):
    """The cells of a page that is a notebook with code; none for any other page."""
    source = Path(app.env.doc2path(docname)).read_text(encoding="utf-8")
    cells = read_myst_markdown_notebook(source).cells if is_myst_markdown_notebook(source) else []
    return cells if any(cell.cell_type == "code" for cell in cells) else []


def has_notebook(app, docname):
    known = app.pages_with_notebook = getattr(app, "pages_with_notebook", {})
    if docname not in known:
        known[docname] = docname in app.env.found_docs and bool(page_cells(app, docname))
    return known[docname]


def reference(entry):
    """A formatted entry of the bibliography as one line of Markdown."""
    return re.sub(r"\\([.,:()-])", r"\1", " ".join(entry.text.render(Backend()).split()))


def absolute(docname, address):
    """An address relative to a page, relative to the book instead."""
    parts = docname.split("/")[:-1]
    for part in address.split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


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
    carrying = nbformat.v4.new_code_cell("\n".join(lines) + ";", metadata={"tags": ["remove-cell"]})
    return code_cell(carrying)


def has_hindi(doctree):
    return any(DEVANAGARI.search(node) for node in doctree.findall(nodes.Text))


def write_notebook(app, doctree, docname):
    if app.builder.name != "html" or not (cells := page_cells(app, docname)):
        return
    carried = carry_files(cells, Path(app.env.doc2path(docname)).parent)
    writer = MarkdownWriter(page_of(app, docname))
    try:
        blocks = writer.write(doctree)
    except ValueError as error:
        LOGGER.warning("no notebook for this page: %s", error, location=docname)
        return
    openings = [setup_cell(source_of_package(app.config), has_hindi(doctree)), *([carried] if carried else [])]
    notebook = notebook_of(blocks, cells, writer.attachments, NOTE.format(title=app.config.html_title), openings)
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
    app.add_config_value("book_source", "", "html", [str])
    app.connect("doctree-resolved", write_notebook, priority=900)
    app.connect("html-page-context", name_notebook, priority=100)
    app.connect("html-page-context", drop_source_button, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
