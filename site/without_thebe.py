"""Sphinx extension: leave sphinx-thebe's scripts out.

jupyter-book 1 loads sphinx-thebe for every page whether it is asked for or not. Its script names an outside address,
which this book may not, and is written twice, of which the second throws. Its style sheet stays: the theme links it.
"""


def disconnect(app, config):
    for listeners in app.events.listeners.values():
        listeners[:] = [
            one
            for one in listeners
            if one.handler.__module__ != "sphinx_thebe" or one.handler.__name__ == "st_static_path"
        ]


def setup(app):
    app.connect("config-inited", disconnect, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
