"""Sphinx extension: run the pages that have to be run before any page is read, as many at once as there are processors.

Sphinx reads one page after another, and myst-nb runs each while it is read. Here every page that is to be read and is
not in jupyter-cache is run beforehand and put there, so that reading finds it. A page that fails is left alone: myst-nb
runs it again and says what it always says.
"""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
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


def execute_ahead(app, env, docnames):
    """Run what is not in the cache, and put it there."""
    config, waiting = env.mystnb_config, {}
    if config.execution_mode != "cache":
        return
    cache = get_cache(config.execution_cache_path or ".jupyter_cache")
    forget_lost(cache)
    if workers() < 2:
        return
    for docname in sorted(docnames):
        notebook = notebook_of(app, docname)
        try:
            if notebook:
                cache.match_cache_notebook(notebook)
        except KeyError:
            waiting[docname] = notebook
    if len(waiting) < 2:
        return
    logger.info("running %d pages, %d at once", len(waiting), workers())
    # To import the libraries for all takes as long as some pages take to run.
    warm = warm_kernels.started() if hasattr(os, "fork") and len(waiting) > FEW else nullcontext()
    with warm as forks, ThreadPoolExecutor(workers()) as pool:
        try:
            paths = {docname: Path(env.doc2path(docname)) for docname in waiting}
            running = {
                pool.submit(run, notebook, paths[docname], config, forks): docname
                for docname, notebook in waiting.items()
            }
            for done in as_completed(running):
                path = paths[running[done]]
                if done.exception() or done.result().err:
                    logger.info("%s: failed, and is run again when it is read", path)
                    continue
                result = done.result()
                bundle = CacheBundleIn(result.nb, str(path), data={"execution_seconds": result.time})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
                logger.info("%s: Executed notebook in %.2f seconds", path, result.time)
        except BaseException:  # Ctrl-C: no further page is begun
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def setup(app):
    app.connect("env-before-read-docs", execute_ahead)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
