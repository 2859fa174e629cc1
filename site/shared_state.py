"""Sphinx extension: tell whether anything that pages share has changed since the last successful build.

Pages share titles and the contents list, labels, numbers of formulas and exercises, terms, citations and what is glued:
all of it stands in Sphinx's environment. This extension writes down a digest of the environment, without the part
that concerns one page alone (`OF_ONE_PAGE`), when a build ends. A build that writes only edited pages
(`BOOK_ONLY_CHANGED=1`, set by `build`) compares, and stops with the status `SHARED_CHANGED` before it writes
anything if another page could now look different. An attribute that this file does not know counts as shared.
"""

import hashlib
import os
import re
from pathlib import Path

from docutils import nodes

SHARED_CHANGED = 77
RECORD = "shared-state"
OF_ONE_PAGE = {
    # When and from what a page was read, and which lines its exercises stand on.
    "all_docs", "dependencies", "included", "nb_new_exec_data", "sphinx_exercise_node_order",
    "sphinx_exercise_gated_registry", "reread_always",
    # Sphinx's own tools: they hold no content, or none that outlives the reading of a page.
    "app", "config", "config_status", "config_status_extra", "doctreedir", "domains", "events", "project",
    "settings", "srcdir", "temp_data", "ref_context", "titles_old", "version", "versioning_compare",
    "versioning_condition", "myst_config", "mystnb_config", "sd_config", "_pickled_doctree_cache",
    "_write_doc_doctree_cache", "external_site_map",
}  # fmt: skip
# Keys of metadata and nb_metadata: how a page was run, how long it is, and on which lines its cells stand.
PER_PAGE_KEYS = {"exec_data", "kernelspec", "language_info", "source_map", "wordcount"}
UNORDERED = {"citations", "citation_refs"}  # lists in the order in which pages happened to be read


def canonical(value):
    """Text that is the same for equal values, whatever the order of their sets and dictionaries."""
    if isinstance(value, dict):
        pairs = sorted((canonical(key), entry(key, one)) for key, one in value.items() if key not in PER_PAGE_KEYS)
        return f"{{{', '.join(f'{key}: {one}' for key, one in pairs)}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(canonical, value)))}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(canonical, value))}]"
    if isinstance(value, nodes.Node):
        return value.pformat()
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def entry(key, value):
    """The canonical text of a dictionary's entry."""
    if key == "myst_slugs":  # (line, id, title) of each heading
        return canonical({slug: heading[1:] for slug, heading in value.items()})
    return canonical(set(map(canonical, value)) if key in UNORDERED else value)


def shared_parts(env):
    """Digest of each part of the environment that other pages may show, by its name."""
    parts = {name: value for name, value in vars(env).items() if name not in OF_ONE_PAGE}
    parts |= {f"domain {name}": parts["domaindata"][name] for name in parts["domaindata"]}
    del parts["domaindata"]
    return {
        name: hashlib.sha256(canonical(value).encode()).hexdigest()[:16]
        for name, value in sorted(parts.items())
        if not name.startswith(("_search_index", "intersphinx"))
    }


def compare(app, env):
    parts = shared_parts(env)
    app.shared_state = "".join(f"{name}: {digest}\n" for name, digest in parts.items())
    record = Path(app.doctreedir, RECORD)
    if not os.environ.get("BOOK_ONLY_CHANGED") or not record.exists():
        return
    if record.read_text(encoding="utf-8") != app.shared_state:
        raise SystemExit(SHARED_CHANGED)


def write_down(app, exception):
    if exception is None and hasattr(app, "shared_state"):
        Path(app.doctreedir, RECORD).write_text(app.shared_state, encoding="utf-8")


def setup(app):
    app.connect("env-check-consistency", compare)
    app.connect("build-finished", write_down)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
