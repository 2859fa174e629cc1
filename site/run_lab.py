"""JupyterLab over the book: `make lab` over the reader's copies of its notebooks, `make edit` over the sources."""

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path

import yaml
from book_order import read_places
from reader_copies import ReaderCopies
from start_page import NAME, heading_of, start_page

BOOK = Path(__file__).resolve().parent.parent
SETTINGS = Path(__file__).with_name("lab-settings.json")
WORDS = {
    "new": "new",
    "replaced": "replaced by a new version",
    "yours": "yours, left as they are",
    "as before": "as they were",
}


def write_notebooks(book, folder):
    """Bring the reader's copies, and the page that lists them, up to the built book; returns lines that tell."""
    places = read_places(book)
    copies = ReaderCopies(folder, book / "_build" / "html" / "_sources")
    paths = {name: [copy.path for copy in found] for name, found in copies.update(places).items()}
    title = yaml.safe_load((book / "_config.yml").read_text(encoding="utf-8"))["title"]
    page = start_page(title, places, paths, lambda path: heading_of(folder / path))
    copies.write(NAME, page)
    counted = Counter({name: copies.counts[name] for name in WORDS if copies.counts[name]})
    told = ", ".join(f"{number} {WORDS[name]}" for name, number in counted.items())
    return [f"Notebooks in {folder.name}/: {told}.", *(f"  {line}." for line in copies.news)]


def lab_arguments(folder, state, edit=False):
    """What JupyterLab is started with.

    Args:
        folder: what it shows.
        state: folder for its settings and for which tabs were open; made when it is missing.
        edit: whether the folder holds the sources of pages, which open as notebooks then, or a reader's copies.
    """
    settings = json.loads(SETTINGS.read_text(encoding="utf-8"))
    viewer = "Jupytext Notebook" if edit else "Markdown Preview"
    kinds = ("markdown", "myst") if edit else ("markdown",)
    settings["@jupyterlab/docmanager-extension:plugin"] = {"defaultViewers": dict.fromkeys(kinds, viewer)}
    state = Path(state)
    for name in ("settings", "workspaces"):
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "settings" / "overrides.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
    arguments = [
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.app_settings_dir={state / 'settings'}",
        f"--LabApp.workspaces_dir={state / 'workspaces'}",
    ]
    if edit:
        arguments.append("--ServerApp.contents_manager_class=page_sources.PageSources")
    else:
        arguments += [
            f"--LabApp.default_url=/lab/tree/{NAME.replace(' ', '%20')}",
            "--ServerApp.jpserver_extensions=jupyterlab_jupytext=False",
        ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container the reader may be root
        arguments.append("--allow-root")
    return arguments


def run_lab(arguments):
    """Run JupyterLab until it is stopped, its kernels from this environment and on one thread like the book's build."""
    from jupyterlab.labapp import main

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    return main(arguments)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edit", action="store_true", help="open the sources of the pages")
    parser.add_argument("--folder", type=Path, help="instead of the book's notebooks/, or chapters/ with --edit")
    parser.add_argument("--write-only", action="store_true", help="write the reader's copies and stop")
    options, for_lab = parser.parse_known_args(argv)
    folder = (options.folder or BOOK / ("chapters" if options.edit else "notebooks")).resolve()
    if not options.edit:
        print("\n".join(write_notebooks(BOOK, folder)), flush=True)
    if options.write_only:
        return None
    print(f"Opening {folder.name}/ in JupyterLab in your browser; stop it here with Ctrl-C.", flush=True)
    state = folder.parent / "_build" / "lab" if options.edit else folder / ".lab"
    return run_lab([*lab_arguments(folder, state, options.edit), *for_lab])


if __name__ == "__main__":
    sys.exit(main())
