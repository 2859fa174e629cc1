"""Sphinx extension: let the one-page build use every extension's HTML handlers.

sphinx-exercise registers handlers under the name `singlehtml`. Sphinx then looks under that name only and stops at the
first node of any other extension, although the handlers registered under `html` would do.
"""


def share_html_handlers(app):
    handlers = app.registry.translation_handlers
    if "singlehtml" in handlers:
        handlers["singlehtml"] = {**handlers.get("html", {}), **handlers["singlehtml"]}


def setup(app):
    app.connect("builder-inited", share_html_handlers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
