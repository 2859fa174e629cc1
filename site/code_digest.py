"""Digests of what a page runs and reads, so that it is executed again when, and only when, something of that changed.

jupyter-cache recognises an executed notebook by its code cells and its kernelspec alone: neither an edit in the
package nor a new library version makes it run a page again. `page_digest` closes that gap with one value a page: it
covers the definitions of the package that the page's cells reach, the package's data files that these name, the results
that the page or these name, the files beside the page that the page names, singly or by a pattern, and the lock of the
libraries. Comments, docstrings and the places of modules do not count, and what errors say does, since pages print it.
Of the pages that a page reads by a pattern, their titles and code cells count, and not their sentences.
"""

import ast
import hashlib
import os
from functools import cache
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

from attention_book.pages.book_page import BookPage


def string_constants(tree):
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def parsed_cells(cells):
    """Syntax tree of a page's code cells, with IPython's `%magic` and `!command` lines made Python.

    Raises:
        SyntaxError: if a cell is no Python even so.
    """
    return ast.parse("\n".join(map(TransformerManager().transform_cell, cells)))


def data_of(graph, name, strings):
    """Data files of a module: beside it under its own name, or named in a string that is reached in it.

    A name may be of a file or a folder, such as "pretrained", beside the module or in a folder around it. Sources in a
    named folder count where a pattern such as "*.py" is named too.
    """
    path = graph.modules[name]
    suffixes = {".pyc"} if any("*.py" in text for text in strings) else {".py", ".pyc"}
    named = [entry for entry in path.parent.iterdir() if entry.is_file() and entry.stem == path.stem]
    for folder in [path.parent, *path.parent.parents]:
        if folder == graph.root:
            break
        named += [entry for entry in folder.iterdir() if entry.name in strings and entry.name != "__pycache__"]
    files = {file for entry in named for file in ([entry] if entry.is_file() else entry.rglob("*"))}
    return {file for file in files if file.is_file() and file.suffix not in suffixes} - {path}


def results_of(texts, files, patterns=True):
    """Those of the results files that strings name, as "NAME" or ".../NAME.json"; a pattern stands for every file."""
    if patterns and any("*" in text for text in texts):
        return set(files)
    named = [text for text in texts if text.endswith(".json")]
    return {file for file in files if file.stem in texts or any(text.endswith(file.name) for text in named)}


def files_beside(tree, folder):
    """The files that a page names by their path from its own folder: the path as written, and the file."""
    named = {text: Path(folder, text) for text in string_constants(tree) if "." in text and len(text) < 200}
    return {text: path for text, path in sorted(named.items()) if "\n" not in text and path.is_file()}


def files_by_pattern(tree, folder):
    """The files that a page names by a pattern that leaves its own folder, such as "../*/*.md"."""
    patterns = [text for text in string_constants(tree) if text.startswith("../") and "*" in text and "\n" not in text]
    return {path.resolve() for text in patterns for path in Path(folder).glob(text) if path.is_file()}


@cache
def hash_of(file, changed):
    """Digest of a file's content, taken once: the weights of a translator are read by many pages."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def taken_from(page):
    """What a page that reads all pages takes from each of them: its first heading and its code cells."""
    page = BookPage.read(page)
    return "\n".join([page.title or "", *(cell.text for cell in page.cells)]).encode()


def page_digest(cells, folder, definitions, results_folder, common=()):
    """Digest of everything outside a page that its code cells run or read.

    Args:
        cells: the sources of the page's code cells, in order.
        folder: the page's folder, in which it runs.
        definitions: the `Definitions` of the package, with what errors say, which pages print.
        results_folder: where `NAME.json` of the experiments lie.
        common: files that every page depends on, such as the lock.

    Returns:
        Sixteen hexadecimal digits.
    """
    graph, texts, by_pattern = definitions.graph, [], set()
    results = set(Path(results_folder).rglob("*.json"))
    try:
        tree = parsed_cells(cells)
    except SyntaxError:  # the page will fail when it runs; until it is mended it depends on everything
        read = results | set(graph.modules.values())
    else:
        reach = definitions.of_code(tree)
        texts.append(definitions.digest(reach))
        by_pattern = files_by_pattern(tree, folder)
        read = results_of(string_constants(tree), results)
        read |= {path.resolve() for path in files_beside(tree, folder).values()}
        for name in reach.strings.keys() & graph.modules.keys():
            strings = reach.strings[name]  # where a "*" is a sign in a text more often than a pattern
            read |= results_of(strings, results, patterns=False) | data_of(graph, name, strings)
    for file in read | by_pattern | set(map(Path, common)):
        page = file in by_pattern and file.suffix == ".md"
        content = hashlib.sha256(taken_from(file)).hexdigest() if page else hash_of(file, file.stat().st_mtime_ns)
        texts.append(f"{os.path.relpath(file, folder) if page else file.name} {content}")
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]
