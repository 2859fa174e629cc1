"""Sphinx extension: copy the browser files of `vendored.toml` into the built book, if they are the known ones.

They go to `_static/vendor/NAME/` once the pages are written: jupyter-book adds every script that it finds on
`html_static_path` to every page, and these are to be loaded where they are asked for.
"""

import hashlib
import shutil
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from sphinx.errors import ExtensionError

MANIFEST = Path(__file__).with_name("vendored.toml")


def vendored_files(entry):
    """The files of one manifest entry: pairs of the path in the package and the path in the book, sorted."""
    folder = Path(distribution(entry["package"]).locate_file(entry["folder"]))
    found = {path for pattern in entry["files"] for path in folder.glob(pattern)}
    return [(path, path.relative_to(folder)) for path in sorted(found)]


def files_digest(files):
    digest = hashlib.sha256()
    for path, name in files:
        digest.update(f"{name.as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def copy_vendored(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    for name, entry in tomllib.loads(MANIFEST.read_text(encoding="utf-8")).items():
        files = vendored_files(entry)
        if (digest := files_digest(files)) != entry["digest"]:
            raise ExtensionError(
                f"site/vendored.toml: the files of {entry['package']} have digest {digest}, not {entry['digest']}. "
                "If the package was updated on purpose, look at what changed and write the new digest down."
            )
        for path, relative in files:
            target = Path(app.outdir, "_static", "vendor", name, relative)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def setup(app):
    app.connect("build-finished", copy_vendored)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
