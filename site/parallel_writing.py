"""Sphinx extension: write the pages in as many processes at once as there are processors.

Sphinx can do so, but Jupyter Book has no option for it. The processes are forked, which is safe on Linux alone, and
each loads MathJax for itself: a few pages are written faster by one.
"""

import sys

from parallel_execution import workers
from sphinx.util import logging

logger = logging.getLogger(__name__)


def note_pages(app, env, docnames):
    app.pages_to_read = len(docnames)


def write_at_once(app, env):
    """Sphinx's main process prepares the pages for the others, so that it is one more."""
    many = app.pages_to_read > app.config.pages_written_by_one
    if many and workers() > 1 and app.builder.name == "html" and sys.platform == "linux":
        app.parallel = workers() + 1
        logger.info("writing the pages in %d processes", workers())


def setup(app):
    app.add_config_value("pages_written_by_one", 20, "")
    app.connect("env-before-read-docs", note_pages)
    # By then all pages are read: what cannot be read by several at once is not asked to.
    app.connect("env-check-consistency", write_at_once)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
