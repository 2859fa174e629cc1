"""Digests of what a page runs and reads, so that it is executed again when, and only when, something of that changed.

jupyter-cache recognises an executed notebook by its code cells and its kernelspec alone: neither an edit in the
package nor a new library version makes it run a page again. `page_digest` closes that gap with one value a page: it
covers the package modules that the page's cells import, directly or through other modules, the package's data files
that those modules name, the results that the page or those modules name, the files beside the page that the page names,
singly or by a pattern, and the lock of the libraries.
"""

import ast
import hashlib
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

from attention_book.source_graph import imported_names


def string_constants(tree):
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def parsed_cells(cells):
    """Syntax tree of a page's code cells, with IPython's `%magic` and `!command` lines made Python.

    Raises:
        SyntaxError: if a cell is no Python even so.
    """
    return ast.parse("\n".join(map(TransformerManager().transform_cell, cells)))


def data_of(graph, name):
    """Data files that a module names in a string: a file or a folder beside it, such as "pretrained"."""
    folder = graph.modules[name].parent
    beside = {entry.name: entry for entry in folder.iterdir() if entry.suffix != ".py" and entry.name != "__pycache__"}
    named = [beside[text] for text in string_constants(graph.parsed[name]) & beside.keys()]
    named += [entry for entry in beside.values() if entry.is_file() and entry.stem == graph.modules[name].stem]
    files = {file for entry in named for file in ([entry] if entry.is_file() else entry.rglob("*"))}
    return {file for file in files if file.is_file() and file.suffix not in {".py", ".pyc"}}


def results_of(tree, folder, patterns=True):
    """Results files that a page or module names, as "NAME" or ".../NAME.json"; a pattern stands for every file."""
    texts = string_constants(tree)
    files = set(Path(folder).rglob("*.json"))
    if patterns and any("*" in text for text in texts):
        return files
    return {file for file in files if any(file.stem == text or text.endswith(file.name) for text in texts)}


def files_beside(tree, folder):
    """The files that a page names by their path from its own folder: the path as written, and the file."""
    named = {text: Path(folder, text) for text in string_constants(tree) if "." in text and len(text) < 200}
    return {text: path for text, path in sorted(named.items()) if "\n" not in text and path.is_file()}


def files_by_pattern(tree, folder):
    """The files that a page names by a pattern that leaves its own folder, such as "../*/*.md"."""
    patterns = [text for text in string_constants(tree) if text.startswith("../") and "*" in text and "\n" not in text]
    return {path.resolve() for text in patterns for path in Path(folder).glob(text) if path.is_file()}


def page_digest(cells, folder, graph, results_folder, common=()):
    """Digest of everything outside a page that its code cells run or read.

    Args:
        cells: the sources of the page's code cells, in order.
        folder: the page's folder, in which it runs.
        graph: the `SourceGraph` of the package.
        results_folder: where `NAME.json` of the experiments lie.
        common: files that every page depends on, such as the lock.

    Returns:
        Sixteen hexadecimal digits.
    """
    try:
        tree = parsed_cells(cells)
    except SyntaxError:  # the page will fail when it runs; until it is mended it depends on everything
        modules, read = set(graph.modules), set(Path(results_folder).rglob("*.json"))
    else:
        modules = graph.closure(imported_names(tree))
        read = results_of(tree, results_folder) | files_by_pattern(tree, folder)
        for name in modules:  # where a "*" is a sign in a text more often than a pattern
            read |= results_of(graph.parsed[name], results_folder, patterns=False)
        read |= {path.resolve() for path in files_beside(tree, folder).values()}
    files = {graph.modules[name] for name in modules} | read | set(map(Path, common))
    files |= {file for name in modules for file in data_of(graph, name)}
    digest = hashlib.sha256()
    for file in sorted(files):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{file.name} {content}\n".encode())
    return digest.hexdigest()[:16]
