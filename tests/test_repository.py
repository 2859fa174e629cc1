"""The repository itself: tests that can fail, small modules, light imports, a README that is true."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import attention_book
from attention_book.paths import PACKAGE

BOOK = Path(__file__).parents[1]
TRACKED = subprocess.run(["git", "ls-files", "-z"], cwd=BOOK, capture_output=True, text=True, check=True).stdout
FILES = [BOOK / name for name in TRACKED.split("\0") if name]
TESTS = [path for path in FILES if path.is_relative_to(BOOK / "tests") and path.name.startswith("test_")]
ASSERTING = r"raises$|warns$|assert_|gradcheck$|fail$"
COMPARING = {"equal", "allclose", "array_equal", "isclose", "all", "any", "is_file", "exists"}


def _parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def _called(node):
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def discarded_comparisons(tree):
    """Lines on which a comparison is made and its answer thrown away."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            value = node.value
            if isinstance(value, ast.Compare) or (isinstance(value, ast.Call) and _called(value) in COMPARING):
                yield node.lineno


def asserts(function, helpers=frozenset()):
    """Whether a function can fail: by an assert, by pytest.raises and the like, or by a helper that can."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call) and (re.match(ASSERTING, _called(node)) or _called(node) in helpers):
            return True
    return False


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def unasserting(tree, helpers=frozenset()):
    """Test functions in which nothing is asserted."""
    return [f.name for f in functions(tree) if f.name.startswith("test_") and not asserts(f, helpers)]


HELPERS = {
    function.name
    for path in FILES
    if path.suffix == ".py" and path.is_relative_to(BOOK / "tests") and path.exists()
    for function in functions(_parsed(path))
    if not function.name.startswith("test_") and asserts(function)
}


def test_the_lint_finds_what_it_looks_for():
    tree = ast.parse("def test_a():\n    a == b\n    torch.equal(a, b)\n\n\ndef test_b():\n    assert a\n")
    assert list(discarded_comparisons(tree)) == [2, 3]
    assert unasserting(tree) == ["test_a"]


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(BOOK / "tests").as_posix())
def test_every_test_can_fail(path):
    tree = _parsed(path)
    lines, idle = list(discarded_comparisons(tree)), unasserting(tree, HELPERS)
    assert not lines, f"{path.name}: a comparison without assert, on line {', '.join(map(str, lines))}: add assert"
    assert not idle, f"{path.name}: {', '.join(idle)} cannot fail: add an assert, or a pytest.raises"


def test_modules_stay_small():
    lines = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in PACKAGE.rglob("*.py")
    }
    long = {name: number for name, number in lines.items() if number > 400}
    assert not long, f"split what has more than 400 lines: {long}"


def test_no_room_has_more_than_fourteen_entries():
    entries = {}
    for path in PACKAGE.rglob("*.py"):
        entry = path.parent if path.name == "__init__.py" else path
        if entry != PACKAGE:
            entries.setdefault(entry.parent.relative_to(PACKAGE).as_posix(), set()).add(entry.name)
    assert len(entries) > 12
    assert not {room: len(names) for room, names in entries.items() if len(names) > 14 and room != "."}


def private_imports(tree):
    """Names with an underscore in front that a source takes out of another module."""
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    return [alias.name for node in imported for alias in node.names if re.match("_(?!_)", alias.name)]


def test_no_module_imports_a_private_name_of_another():
    assert private_imports(ast.parse("from .masks import _fit, causal_mask")) == ["_fit"]
    sources = [*PACKAGE.rglob("*.py"), *(BOOK / "site").glob("*.py")]
    found = {path.relative_to(BOOK).as_posix(): private_imports(_parsed(path)) for path in sources}
    assert not {name: names for name, names in found.items() if names}


def test_the_table_of_names_is_short_true_and_free_of_clashes():
    assert len((PACKAGE / "__init__.py").read_text(encoding="utf-8").splitlines()) <= 40
    modules = {path.stem for path in PACKAGE.rglob("*.py")} | {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    for name in attention_book.__all__:
        assert getattr(attention_book, name).__name__ == name
        assert name not in modules
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        attention_book.nothing  # noqa: B018


def test_importing_the_package_loads_no_module_of_it():
    code = "import sys, attention_book; print([m for m in sys.modules if m.startswith('attention_book.')])"
    assert _run(code) == "[]"


@pytest.mark.parametrize(
    "module",
    [
        "training.runs",
        "training.trainer",
        "translation.translator",
        "translation.decoding",
        "translation.evaluation",
        "__main__",
    ],
)
def test_training_and_inference_import_on_a_bare_machine(module):
    code = f"""
import sys
absent = {{"anywidget", "ipywidgets", "beartype", "array_api_compat", "matplotlib", "IPython"}}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in absent:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocker())
import attention_book.{module}
import torch
from attention_book.attention.multi_head import MultiHeadAttention
weights = MultiHeadAttention(8, 2)(torch.zeros(1, 3, 8), need_weights=True)[1]
print(tuple(weights.shape), absent & sys.modules.keys() or "none")
"""
    assert _run(code) == "(1, 2, 3, 3) none"


def _run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=BOOK)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_no_tracked_file_names_a_machine_or_a_package_index():
    # Not spelt out, or this file would be found.
    hosts = "|".join(["py" + r"pi\.org", "python" + "hosted", r"registry\.npm" + "js"])
    forbidden = re.compile(rf"(?<![\w.:/~-])/(?:root|home|Users|work)/\w|{hosts}")
    for path in FILES:
        if path.exists() and path.suffix not in {".safetensors", ".png", ".woff2"} and path.stat().st_size < 1_000_000:
            found = forbidden.search(path.read_text(encoding="utf-8"))
            name = path.relative_to(BOOK)
            assert not found, f"{name}: take out {found and found[0]!r}, which is of one machine, or a package index"


def test_no_notebook_is_tracked():
    notebooks = [path.relative_to(BOOK).as_posix() for path in FILES if path.suffix == ".ipynb"]
    assert not notebooks, f"pages are kept as .md, without outputs; remove from git: {', '.join(notebooks)}"


class TestReadme:
    text = (BOOK / "README.md").read_text(encoding="utf-8")

    def test_its_links_and_its_map_exist(self):
        links = re.findall(r"\]\((?!http)([^)#]+)\)", self.text)
        assert len(links) > 5
        broken = [link for link in links if not (BOOK / link).exists()]
        assert not broken, f"README.md links to files that are not there: {', '.join(broken)}"
        map_ = self.text.split("## Map")[1].split("## ")[0]
        tests = re.findall(r"`(tests/[^`]+)`", map_)
        missing = [name for name in tests if not (BOOK / name).exists()]
        assert not missing, f"README.md, Map: these tests are not there: {', '.join(missing)}"
        modules = [name for line in map_.splitlines() if line.startswith("|") for name in _modules(line.split("|")[2])]
        assert len(modules) > 20
        missing = [name for name in modules if not _exists(name)]
        assert not missing, f"README.md, Map: no such modules in src/attention_book/: {', '.join(missing)}"

    def test_every_chapter_is_on_the_map(self):
        parts = ("attention", "translator")
        paths = [path for part in parts for path in (BOOK / "chapters" / part).glob("*.md")]
        names = sorted(path.relative_to(BOOK).as_posix() for path in paths)
        assert len(names) >= 3
        missing = [name for name in names if name not in self.text]
        rows = "\n".join(f"| [TITLE]({name}) | `MODULE` | `tests/test_MODULE.py` |" for name in missing)
        assert not missing, f"README.md, Map: add a row for each of these, with its modules and tests:\n{rows}"

    def test_its_commands_exist(self):
        makefile = (BOOK / "Makefile").read_text(encoding="utf-8")
        for target in set(re.findall(r"`make ([a-z-]+)", self.text)):
            found = re.search(rf"^{target}:", makefile, re.M)
            assert found, f"README.md tells of `make {target}`, which the Makefile does not have"

    def test_it_clones_from_the_address_that_is_set(self):
        config = yaml.safe_load((BOOK / "_config.yml").read_text(encoding="utf-8"))
        source = config["sphinx"]["config"].get("book_source") or ""
        address, remark = re.search(r"git clone (\S+) attention-worked-out *(.*)", self.text).groups()
        wanted = source.removeprefix("git+") or "ADDRESS"
        assert address == wanted, f"README.md: write 'git clone {wanted}', as book_source in _config.yml says"
        assert ("no address is set yet" in remark) is (not source), "README.md: the remark that no address is set"

    def test_its_results_are_those_on_record(self):
        import readme  # of site/, which pytest puts on the path

        assert readme.with_results(self.text, json.loads(readme.RECORD.read_text(encoding="utf-8"))) == self.text


def _modules(cell):
    return re.findall(r"`([\w.]+)`", cell)


def _exists(name):
    path = PACKAGE.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()
