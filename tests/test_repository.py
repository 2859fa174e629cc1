"""The repository itself: tests that can fail, small modules, light imports, a README that is true."""

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from functools import cache
from pathlib import Path

import pytest
import yaml

import attention_book
from attention_book.paths import PACKAGE
from attention_book.readers.appendix import training_peers
from attention_book.readers.translator import decoding_peers

BOOK = Path(__file__).parents[1]
COURSE = BOOK / "coursework"
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
    """Whether a function can fail: by an assert, by pytest.raises and the like, or by a helper that can.

    A helper is called by its name, by `self.name` in a class, or by `module.name`, as `helpers` has them.
    """
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call) and (re.match(ASSERTING, _called(node)) or ast.unparse(node.func) in helpers):
            return True
    return False


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def unasserting(tree, helpers=frozenset()):
    """Test functions in which nothing is asserted."""
    return [f.name for f in functions(tree) if f.name.startswith("test_") and not asserts(f, helpers)]


def own_helpers(tree, known=frozenset()):
    """The functions and methods of a file that can fail, as its own code calls them; fixtures go by their names."""
    methods = {
        m for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for m in c.body if isinstance(m, ast.FunctionDef)
    }
    others = [one for one in functions(tree) if not one.name.startswith("test_")]
    named = [(f"self.{one.name}" if one in methods else one.name, one) for one in others]
    found, before = set(known), None
    while before != found:
        before = set(found)
        found |= {name for name, one in named if name not in found and asserts(one, found)}
    return found


@cache
def helpers_of(path):
    """What the code in a file of the tests can call that can fail: its own functions, imported ones, and fixtures."""
    tree, known = _parsed(path), set()
    for folder in path.parents if path in TESTS else []:
        fixtures = folder / "conftest.py"
        if fixtures.exists() and folder.is_relative_to(BOOK / "tests"):
            known |= helpers_of(fixtures)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                known |= _imported(path, node, alias)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                known |= _of_module(BOOK / "tests" / f"{alias.name}.py", alias.asname or alias.name)
    return frozenset(own_helpers(tree, known))


def _imported(path, node, alias):
    """What `from … import name` of a file brings that can fail."""
    folder = path.parents[node.level - 1] if node.level else None
    parts = (node.module or "").split(".") if node.module else []
    name = alias.asname or alias.name
    for base in [folder] if folder else [BOOK / "tests", path.parent]:
        source = base.joinpath(*parts).with_suffix(".py") if parts else base / "__init__.py"
        if source.is_relative_to(BOOK / "tests") and source.exists() and alias.name in helpers_of(source):
            return {name}
        if found := _of_module(base.joinpath(*parts, f"{alias.name}.py"), name):
            return found
    return set()


def _of_module(source, name):
    return {f"{name}.{helper}" for helper in helpers_of(source)} if source.exists() else set()


def test_the_lint_finds_what_it_looks_for():
    tree = ast.parse("def test_a():\n    a == b\n    torch.equal(a, b)\n\n\ndef test_b():\n    assert a\n")
    assert list(discarded_comparisons(tree)) == [2, 3]
    assert unasserting(tree) == ["test_a"]


def test_a_call_is_an_assertion_only_where_its_helper_can_fail():
    tree = ast.parse(
        "def check(x):\n    assert x\n\ndef twice(x):\n    check(x)\n\ndef run(x):\n    return x\n\n"
        "class TestThing:\n    def expect(self):\n        assert self\n    def test_own(self):\n        self.expect()\n"
        "def test_helper():\n    twice(1)\n\ndef test_run():\n    run(1)\n\n"
        "def test_other():\n    book.check(1)\n    expect()\n"
    )
    assert own_helpers(tree) == {"check", "twice", "self.expect"}
    assert unasserting(tree, own_helpers(tree)) == ["test_run", "test_other"]
    here = BOOK / "tests" / "translation" / "test_translator.py"
    assert "run" not in helpers_of(here) and "translate" not in helpers_of(here)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(BOOK / "tests").as_posix())
def test_every_test_can_fail(path):
    tree = _parsed(path)
    lines, idle = list(discarded_comparisons(tree)), unasserting(tree, helpers_of(path))
    assert not lines, f"{path.name}: a comparison without assert, on line {', '.join(map(str, lines))}: add assert"
    assert not idle, f"{path.name}: {', '.join(idle)} cannot fail: add an assert, or a pytest.raises"


def test_modules_stay_small():
    lines = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in PACKAGE.rglob("*.py")
    }
    long = {name: number for name, number in lines.items() if number > 400}
    assert not long, f"split what has more than 400 lines: {long}"


def code_lines(text):
    """How many lines of a source hold code: no blank ones, comments or docstrings."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    words = [token for token in tokens if token.string.strip() and token.type != tokenize.COMMENT]
    lines = {number for token in words for number in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def test_the_runner_of_the_course_can_be_read_by_one_person():
    assert code_lines('"""What\n\nfor."""\n\n# why\nx = """\na\n"""  # how\n') == 3
    lines = {path.name: code_lines(path.read_text(encoding="utf-8")) for path in (COURSE / "runner").glob("*.py")}
    assert lines.keys() > {"child.py", "sandbox.py"} and sum(lines.values()) <= 400, lines


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
    sources = [*PACKAGE.rglob("*.py"), *COURSE.rglob("*.py"), *(BOOK / "site").glob("*.py")]
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


@pytest.mark.slow
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
    map_ = text.split("## Map")[1].split("## ")[0]

    def test_its_links_and_its_map_exist(self):
        links = re.findall(r"\]\((?!http)([^)#]+)\)", self.text)
        assert len(links) > 5
        broken = [link for link in links if not (BOOK / link).exists()]
        assert not broken, f"README.md links to files that are not there: {', '.join(broken)}"
        tests = re.findall(r"`(tests/[^`]+)`", self.map_)
        missing = [name for name in tests if not (BOOK / name).exists()]
        assert not missing, f"README.md, Map: these tests are not there: {', '.join(missing)}"
        modules = [
            name for line in self.map_.splitlines() if line.startswith("|") for name in _modules(line.split("|")[2])
        ]
        assert len(modules) > 20
        missing = [name for name in modules if not _exists(name)]
        assert not missing, f"README.md, Map: no such modules in src/attention_book/: {', '.join(missing)}"

    def test_its_tables_of_speed_are_those_on_record(self):
        for record in (decoding_peers.read(), training_peers.read()):
            rows = [f"| {' | '.join(cells)} |" for cells in (record.header, *record.rows())]
            missing = [row for row in rows if row not in self.text]
            assert not missing, "README.md, How fast: put in these rows:\n" + "\n".join(missing)

    def test_every_chapter_is_on_the_map(self):
        parts = yaml.safe_load((BOOK / "_toc.yml").read_text(encoding="utf-8"))["parts"]
        chapters = {part["caption"]: [f"{entry['file']}.md" for entry in part["chapters"]] for part in parts}
        assert len(chapters) > 4 and chapters.pop("Appendix")
        names = [name for part in chapters.values() for name in part]
        assert len(names) > 20
        assert set(names) >= {path.relative_to(BOOK).as_posix() for path in (BOOK / "chapters").glob("[!a]*/*.md")}
        missing = [name for name in names if f"]({name})" not in self.map_]
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
