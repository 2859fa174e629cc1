"""Sphinx extension: copy the browser files of `vendored.toml` into the built book, if they are the known ones.

An entry with `letters` is a font: what is copied of it are the glyphs of those letters of that range of Unicode that
the book's pages hold, and of those `besides` them, as WOFF2. They go to `_static/vendor/NAME/` once the pages are
written: jupyter-book adds every script that it finds on `html_static_path` to every page, and these are to be loaded
where they are asked for.
"""

import hashlib
import shutil
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from kept_files import place_of
from sphinx.errors import ExtensionError
from subset_fonts import characters, subset_font

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


def known_files(entry):
    """The files of an entry, as `vendored_files` gives them.

    Raises:
        ExtensionError: if they are not those that the manifest has the digest of.
    """
    files = vendored_files(entry)
    if (digest := files_digest(files)) != entry["digest"]:
        raise ExtensionError(
            f"site/vendored.toml: the files of {entry['package']} have digest {digest}, not {entry['digest']}. "
            "If the package was updated on purpose, look at what changed and write the new digest down."
        )
    return files


def copy_vendored(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    for name, entry in tomllib.loads(MANIFEST.read_text(encoding="utf-8")).items():
        files = known_files(entry)
        if entry.get("copied", True) is False:
            continue
        letters = wanted_letters(app.outdir, entry)
        for path, relative in files:
            target = Path(app.outdir, "_static", "vendor", name, relative)
            target.parent.mkdir(parents=True, exist_ok=True)
            if letters is None or path.suffix != ".ttf":
                shutil.copyfile(path, target)
                continue
            content, has = subset_font(path, letters, entry.get("axes"), place_of(app))
            if missing := letters - has:
                raise ExtensionError(f"{path.name} has no letter {', '.join(sorted(missing))}, which a page holds")
            target.with_name(entry["as"]).write_bytes(content)


def wanted_letters(folder, entry):
    """What a font of the manifest is to have: the letters of its range in the pages of a built book and in their
    scripts, and those `besides` them that a browser draws by itself. None for an entry that is no font.
    """
    if "letters" not in entry:
        return None
    texts = (page.read_text(encoding="utf-8") for page in Path(folder).rglob("*.html"))
    return characters(texts, *entry["letters"]) | set(map(chr, entry.get("besides", ())))


def setup(app):
    app.connect("build-finished", copy_vendored)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
