"""Sphinx extension: a published book serves its own package, and its notebooks install it from there.

The address of the book is one setting, `html.baseurl` in `_config.yml`. Where it is set, the built book holds a small
wheel and the translators' weights (`editions.served_wheel`), a downloaded notebook's first cell names the wheel, and a
page that has a notebook has a button that copies the notebook's address, which every JupyterLab and Jupyter Notebook
opens (*File*, *Open from URL*). The setting `launch_jupyter` names a JupyterLab or JupyterHub that takes an address as
`?fromURL=`, as those with jupyterlab-open-url-parameter do: then another button opens the page there. Without an
address of the book there is none of this. Colab and Binder open repositories, and not an address of a notebook.
"""

from pathlib import Path
from urllib.parse import quote, urljoin

from editions.served_wheel import FOLDER, address_of_wheel, make_wheel

BOOK = Path(__file__).resolve().parents[1]


def source_of_package(config):
    """Where pip finds the package: what `book_source` says, else the wheel of the published book, else nothing."""
    return config.book_source or address_of_wheel(BOOK, config.html_baseurl)


def launch_buttons(address, jupyter=""):
    """The buttons that bring a notebook of the published book into a Jupyter.

    Args:
        address: of the notebook.
        jupyter: the address of a JupyterLab or JupyterHub that takes `?fromURL=`; empty if there is none.
    """
    copying = f"navigator.clipboard.writeText('{quote(address, safe=':/')}')"
    buttons = [{"type": "javascript", "javascript": copying, "icon": "fa-solid fa-link", "label": "notebook-address",
                "tooltip": "Copy the notebook's address, for Open from URL in Jupyter"}]  # fmt: skip
    if jupyter:
        lab = f"{jupyter.rstrip('/')}/lab?fromURL={quote(address, safe='')}"
        buttons.insert(0, {"type": "link", "url": lab, "icon": "fa-solid fa-play", "label": "launch-jupyter",
                           "tooltip": "Open this page as a notebook in Jupyter"})  # fmt: skip
    return buttons


def add_buttons(app, pagename, templatename, context, doctree):
    """Put the buttons beside the one that downloads the notebook."""
    if app.config.html_baseurl and "ipynb_source" in context:
        address = urljoin(app.config.html_baseurl.rstrip("/") + "/", f"_sources/{context['ipynb_source']}")
        buttons = launch_buttons(address, app.config.launch_jupyter)
        context.setdefault("header_buttons", [])[:0] = buttons


def write_package(app, exception):
    if exception is None and app.builder.name == "html" and app.config.html_baseurl:
        make_wheel(BOOK, Path(app.outdir, FOLDER), app.config.html_baseurl)


def setup(app):
    app.add_config_value("launch_jupyter", "", "html", [str])
    app.connect("html-page-context", add_buttons, priority=950)
    app.connect("build-finished", write_package)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
