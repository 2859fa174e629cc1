"""Which module imports which, read from the source and not carried out.

A measured result and a built page are stale when the code that they ran has changed. Both ask here what that code is.
A module imported under a computed name is invisible; so chapters and modules import by name, and chapters import from
modules, never through the lazy table in ``attention_book/__init__.py``.
"""

import ast
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import no_type_check


@lru_cache(maxsize=1024)
def _parse(source: bytes) -> ast.Module:
    return ast.parse(source)


def module_name(path: Path, root: Path) -> str:
    """Dotted name of the module in file ``path`` under the source folder ``root``."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@no_type_check
def imported_names(tree: ast.AST, package: str = "") -> set[str]:
    """Dotted names that a parsed source may import; ``package`` resolves relative imports.

    ``from a import b`` may mean the module ``a.b`` or the name ``b`` of module ``a``, so both are returned, and with
    ``a.b.c`` also ``a.b`` and ``a``, whose code runs first.
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


class SourceGraph:
    """The modules under a source folder and what each of them imports.

    Args:
        root: the source folder.
        package: the one package in it that is meant, where other packages lie beside it; all if None.

    Attributes:
        root: the source folder.
        modules: the file of each module, by dotted name.
    """

    def __init__(self, root: Path, package: str | None = None):
        self.root = Path(root)
        files = sorted((self.root / package if package else self.root).rglob("*.py"))
        self.modules = {module_name(path, self.root): path for path in files}

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """The source of each module."""
        return {name: path.read_bytes() for name, path in self.modules.items()}

    @cached_property
    def parsed(self) -> dict[str, ast.Module]:
        """The syntax tree of each module; not to be changed, since graphs share it."""
        return {name: _parse(source) for name, source in self.contents.items()}

    def closure(self, names: Iterable[str]) -> set[str]:
        """The named modules of this folder, with everything that they import, directly or through others."""
        found, waiting = set(), set(names) & self.modules.keys()
        while waiting:
            name = waiting.pop()
            found.add(name)
            package = name if self.modules[name].name == "__init__.py" else name.rpartition(".")[0]
            waiting |= (imported_names(self.parsed[name], package) & self.modules.keys()) - found
        return found
