"""Digests of the code that a page runs, so that a page is executed again when, and only when, that code changed.

jupyter-cache recognises an executed notebook by its code cells and its kernelspec alone: neither an edit in the
package nor a new library version makes it run a page again. `page_digest` closes that gap with one value a page: it
covers the package modules that the page's cells import, directly or through other modules, the package's data files
that those modules name, the results files that the page names, and the lock of the libraries.

Imports are read from the source, not carried out. A module imported under a computed name is therefore invisible;
that is why chapters import from modules (`from attention_book.masks import causal_mask`), never through the lazy
table in `attention_book/__init__.py`.
"""

import ast
import hashlib
from functools import cached_property
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager


def module_name(path, root):
    """Dotted name of the module in file `path` under the source folder `root`."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(tree, package=""):
    """Dotted names that a parsed source may import; `package` resolves relative imports.

    `from a import b` may mean the module `a.b` or the name `b` of module `a`, so both are returned, and with `a.b.c`
    also `a.b` and `a`, whose code runs first.
    """
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                home = ".".join([*parents, *filter(None, [home])])
            names.update({home, *(f"{home}.{alias.name}" for alias in node.names)})
    return {name.rsplit(".", cut)[0] for name in names for cut in range(name.count(".") + 1)}


def string_constants(tree):
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


class SourceTree:
    """The modules under a source folder, what each imports and which data files each names."""

    def __init__(self, root):
        self.root = Path(root)
        self.modules = {module_name(path, self.root): path for path in sorted(self.root.rglob("*.py"))}

    @cached_property
    def _parsed(self):
        return {name: ast.parse(path.read_bytes()) for name, path in self.modules.items()}

    def modules_of(self, tree):
        """Modules of this folder that a parsed source imports, with everything that those import in turn."""
        found, waiting = set(), imported_names(tree) & self.modules.keys()
        while waiting:
            name = waiting.pop()
            found.add(name)
            path = self.modules[name]
            package = name if path.name == "__init__.py" else name.rpartition(".")[0]
            waiting |= (imported_names(self._parsed[name], package) & self.modules.keys()) - found
        return found

    def data_of(self, name):
        """Data files that a module names in a string: a file or a folder beside it, such as "pretrained"."""
        folder = self.modules[name].parent
        beside = {entry.name: entry for entry in folder.iterdir() if entry.suffix not in {".py", ".pyc"}}
        named = [beside[text] for text in string_constants(self._parsed[name]) & beside.keys()]
        named += [entry for entry in beside.values() if entry.is_file() and entry.stem == self.modules[name].stem]
        files = {file for entry in named for file in ([entry] if entry.is_file() else entry.rglob("*"))}
        return {file for file in files if file.is_file() and file.suffix not in {".py", ".pyc"}}


def results_of(tree, folder):
    """Results files that a page names, as "NAME" or ".../NAME.json"; a pattern stands for every file."""
    texts = string_constants(tree)
    files = set(Path(folder).glob("*.json"))
    if any("*" in text for text in texts):
        return files
    return {file for file in files if any(file.stem == text or text.endswith(file.name) for text in texts)}


def page_digest(cells, sources, results_folder, common=()):
    """Digest of everything outside a page that its code cells run or read.

    Args:
        cells: the sources of the page's code cells, in order.
        sources: the `SourceTree` of the package.
        results_folder: where `NAME.json` of the experiments lie.
        common: files that every page depends on, such as the lock.

    Returns:
        Sixteen hexadecimal digits.
    """
    try:
        tree = ast.parse("\n".join(map(TransformerManager().transform_cell, cells)))
    except SyntaxError:  # the page will fail when it runs; until it is mended it depends on everything
        modules, results = set(sources.modules), set(Path(results_folder).glob("*.json"))
    else:
        modules, results = sources.modules_of(tree), results_of(tree, results_folder)
    files = {sources.modules[name] for name in modules} | results | set(map(Path, common))
    files |= {file for name in modules for file in sources.data_of(name)}
    digest = hashlib.sha256()
    for file in sorted(files):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{file.name} {content}\n".encode())
    return digest.hexdigest()[:16]
