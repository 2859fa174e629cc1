"""Sphinx extension: run the pages that have to be run ahead of their reading, as many at once as there are processors.

Sphinx reads one page after another, and myst-nb runs each while it is read. Here every page that is to be read and is
not in jupyter-cache is run by others, in the order of reading, while it is found out which pages have to be run and
while those before it are read. When its turn comes, what it printed is put into the cache, so that reading finds it. A
page that fails is left alone: myst-nb runs it again and says what it always says.
"""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import warm_kernels
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.cache.db import NbCacheRecord
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from reexecution import put_digest_into_kernelspec
from sphinx.util import logging

logger = logging.getLogger(__name__)
MOST = 4
"""Pages at once: each holds PyTorch and a translator, some 500 MB."""
FEW = 4
"""So many pages, or fewer, are run in kernels that import their libraries themselves."""


def workers():
    """How many pages run at once; BOOK_WORKERS says otherwise."""
    own = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    processors = len(own(0)) if own else os.cpu_count() or 1
    return int(os.environ.get("BOOK_WORKERS") or min(MOST, processors))


def notebook_of(app, docname):
    """A page as myst-nb will read it, with the digest of its code; None for a page without code of its own."""
    path, config = app.env.doc2path(docname), app.env.mystnb_config
    source = [Path(path).read_text(encoding="utf-8")]
    put_digest_into_kernelspec(app, docname, source)
    reader = create_nb_reader(path, app.env.myst_config, config, source[0])
    notebook = reader and reader.read(source[0])
    if not notebook or config.metadata_key in notebook.metadata:  # a page with settings of its own is myst-nb's
        return None
    return notebook if any(cell.cell_type == "code" for cell in notebook.cells) else None


def run(notebook, path, config, forks=None):
    """Run a notebook in the folder of its page, in a kernel of its own, which is forked if there are `forks`."""
    own = {"kernel_manager_class": warm_kernels.manager(forks)} if forks else {}
    return single_nb_execution(
        notebook,
        cwd=str(path.parent),
        timeout=config.execution_timeout,
        allow_errors=config.execution_allow_errors,
        **own,
    )


def forget_lost(cache):
    """Clear what a killed build has left of the cache: an entry without its notebook, or a folder without its entry.

    Either of them stops every later build.
    """
    kept, records = cache.path / "executed", cache.list_cache_records()
    whole = {one.hashkey for one in records if (kept / one.hashkey / "base.ipynb").is_file()}
    NbCacheRecord.remove_records([one.pk for one in records if one.hashkey not in whole], cache.db)
    for folder in kept.glob("*"):
        if folder.name not in whole:
            shutil.rmtree(folder)


class Runs:
    """The pages that are run ahead: they begin in the order in which they are added.

    Args:
        env: Sphinx's environment.
        cache: where what they print is kept.
    """

    def __init__(self, env, cache):
        self.env, self.cache = env, cache
        self.held, self.running, self.forks = {}, {}, None
        self.pool, self.warm = ThreadPoolExecutor(workers()), ExitStack()

    def add(self, docname, notebook):
        """To import the libraries for all takes as long as some pages take to run, so the first pages are held."""
        self.held[docname] = notebook
        if len(self.running) + len(self.held) > FEW:
            if hasattr(os, "fork") and not self.forks:
                self.forks = self.warm.enter_context(warm_kernels.started())
            self.begin()

    def begin(self):
        """Run what is held."""
        for docname, notebook in self.held.items():
            path = Path(self.env.doc2path(docname))
            self.running[docname] = self.pool.submit(run, notebook, path, self.env.mystnb_config, self.forks)
        self.held = {}

    def keep(self, docname):
        """Wait for a page, and put it into the cache; the last one ends the runs."""
        try:
            path, done = Path(self.env.doc2path(docname)), self.running.pop(docname)
            if done.exception() or done.result().err:
                logger.info("%s: failed, and is run again when it is read", path)
            else:
                result = done.result()
                bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
                self.cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
                logger.info("%s: Executed notebook in %.2f seconds", path, result.time)
        except BaseException:  # Ctrl-C
            self.end()
            raise
        if not self.running:
            self.end()

    def end(self):
        """No further page is begun."""
        self.running = {}
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.warm.close()


def run_ahead(app, env, docnames):
    """Begin to run what is not in the cache."""
    config, app.runs = env.mystnb_config, None
    if config.execution_mode != "cache":
        return
    cache = get_cache(config.execution_cache_path or ".jupyter_cache")
    forget_lost(cache)
    if workers() < 2:
        return
    app.runs = Runs(env, cache)
    for docname in docnames:  # as they are read
        notebook = notebook_of(app, docname)
        try:
            if notebook:
                cache.match_cache_notebook(notebook)
        except KeyError:
            app.runs.add(docname, notebook)
    if len(app.runs.held) != 1:  # a single page may as well be run when it is read
        app.runs.begin()
    if app.runs.running:
        logger.info("running %d pages, %d at once", len(app.runs.running), workers())


def keep(app, docname, source):
    if app.runs and docname in app.runs.running:
        app.runs.keep(docname)


def end(app, exception):
    if getattr(app, "runs", None):
        app.runs.end()


def setup(app):
    app.connect("env-before-read-docs", run_ahead)
    app.connect("source-read", keep)
    app.connect("build-finished", end)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
