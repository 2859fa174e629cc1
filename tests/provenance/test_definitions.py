# ruff: noqa: E501 - a table reads best with one edit a line
"""The digest of what definitions compute, on copies of the real package: which edits move it, and which do not."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from attention_book.data.fetching import fetch_file
from attention_book.data.vocabulary_json import refuse_unreadable
from attention_book.models.checkpoints import load_checkpoint
from attention_book.paths import PACKAGE
from attention_book.provenance.definitions import REFUSALS, Definitions
from attention_book.provenance.source_graph import SourceGraph, module_name

ENTRY = "_with_mask"  # stands in the experiment's module
DECODER = "UnmaskedTransformer"  # is reached from it
NAMES = ("CONFIGURATION", "SEEDS", "run_seed")
NOWHERE = Path("nowhere")  # no file lies there: the texts are edited in memory


@cache
def package_texts():
    """The text of each module of the package, by its path from the source folder."""
    return {path.relative_to(PACKAGE.parent): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


class Copy:
    """The texts of the package's modules, found by what they define, and edited without touching a file."""

    def __init__(self):
        self.texts = dict(package_texts())

    def file(self, name):
        wanted = re.compile(rf"^(def|class) {name}\b", re.M)
        found = [path for path, text in self.texts.items() if wanted.search(text)]
        assert len(found) == 1, (name, found)
        return found[0]

    def module(self, name):
        return ".".join(self.file(name).with_suffix("").parts)

    def edit(self, name, old, new):
        """Replace a text in the file that defines a name."""
        path = self.file(name)
        assert old in self.texts[path], f"{path.name} has no {old!r}"
        self.texts[path] = self.texts[path].replace(old, new, 1)

    def add(self, name, code):
        self.texts[self.file(name)] += f"\n\n{code}\n"

    def rename(self, name, new):
        """Move the file that defines a name, and write its importers' and its own imports anew."""
        old, path = self.module(name), self.file(name)
        target = Path(*new.split(".")).with_suffix(".py")
        self.texts.setdefault(target.parent / "__init__.py", "")
        for other, text in list(self.texts.items()):
            if other != path and path.stem not in text:
                continue
            package = other.with_suffix("").parts[:-1]
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ImportFrom) and node.level:
                    line = ast.get_source_segment(text, node)
                    base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
                    home = ".".join(base)
                    if other == path or home == old:
                        moved = re.sub(
                            r"from \.*\S* import", f"from {new if home == old else home} import", line, count=1
                        )
                        self.texts[other] = self.texts[other].replace(line, moved)
        self.texts[target] = self.texts.pop(path)

    def digest(self, entry=ENTRY, names=NAMES, **options):
        graph = SourceGraph(NOWHERE)
        graph.modules = {module_name(NOWHERE / path, NOWHERE): NOWHERE / path for path in sorted(self.texts)}
        graph.contents = {module_name(NOWHERE / path, NOWHERE): encoded(text) for path, text in self.texts.items()}
        definitions = Definitions(graph, **options)
        return definitions.digest(definitions.of(self.module(entry), *names))


@cache
def encoded(text):
    return text.encode()


@pytest.fixture
def copy():
    return Copy()


@cache
def prepared(prepare):
    """The digest of a copy to which nothing else was done."""
    copy = Copy()
    prepare(copy)
    return copy.digest()


def whole_module(copy):
    """The experiment hands a module on as an object."""
    home, _, name = copy.module("softmax").rpartition(".")
    copy.edit(ENTRY, "\n\ndef train", f"\n\nfrom {home} import {name} as handed_on\n\n\ndef train")
    copy.edit(ENTRY, "every, metrics, tokens =", "every, metrics, tokens = vars(handed_on) and")


def star(copy):
    copy.edit("split_heads", "\n\n\ndef", f"\nfrom {copy.module('noam_schedule')} import *\n\n\ndef")


def registry(copy):
    copy.edit("split_heads", "\n\n\ndef", "\nREADY = []\n\n\ndef ready(f):\n    READY.append(f)\n    return f\n\n\ndef")
    copy.edit("split_heads", "width = x.shape", "width = READY and x.shape")


def registered(copy):
    registry(copy)
    copy.add("split_heads", "@ready\ndef late(x):\n    return 1")


def cycle(copy):
    copy.add("softmax", "def even(n):\n    return n == 0 or odd(n - 1)\n\n\ndef odd(n):\n    return n and even(n - 1)")
    copy.edit("softmax", "xp = ", "even(3)\n    xp = ")


def shadow(copy):
    copy.add("split_heads", "length = 3")


def lazily(copy):
    copy.edit(
        ENTRY, "length, every,", "from attention_book import noam_schedule\n    noam_schedule(1)\n    length, every,"
    )


def by_name(copy):
    copy.edit(ENTRY, "length, every,", "import importlib\n    importlib.import_module(seed)\n    length, every,")


def reads_docstrings(copy):
    copy.edit(ENTRY, "length, every,", "train.__doc__\n    length, every,")


def swap(name, first, second):
    """Change the order of two top-level functions."""

    def edit(copy):
        path = copy.file(name)
        text = copy.texts[path]
        nodes = {n.name: n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
        parts = [ast.get_source_segment(text, nodes[one]) for one in (first, second)]
        copy.texts[path] = text.replace(parts[0], "@@").replace(parts[1], parts[0]).replace("@@", parts[1])

    return edit


def moved_function(copy):
    """`split_heads` goes to the module of softmax, and is imported from there."""
    path = copy.file("split_heads")
    text = copy.texts[path]
    node = next(one for one in ast.parse(text).body if getattr(one, "name", "") == "split_heads")
    code = ast.get_source_segment(text, node)
    copy.texts[path] = text.replace(code, f"from {copy.module('softmax')} import split_heads")
    copy.add("softmax", f"from torch import Tensor\n\n{code}")


def edit(*arguments):
    return lambda copy: copy.edit(*arguments)


def add(*arguments):
    return lambda copy: copy.add(*arguments)


def rename(*arguments):
    return lambda copy: copy.rename(*arguments)


def nothing(copy):
    """No preparation."""


WIDTH = "    batch, length, width = x.shape"  # the first statement of `split_heads`
GUARD = '    if width % n_heads:\n        raise ValueError(f"{n_heads} heads do not divide a width of {width}")\n'


def catching(kind, then):
    """The experiment calls its training where it catches errors."""
    code = f"    try:\n        train(seed, {{}}, configuration)\n    except {kind}:\n        {then}\n"
    return edit(ENTRY, "    length, every,", f"{code}    length, every,")


def storing(copy):
    """The experiment stores something."""
    code = f"    from {copy.module('write_json')} import write_json\n    write_json(seed, configuration)\n"
    copy.edit(ENTRY, "    length, every,", f"{code}    length, every,")


SORTED = edit("write_json", "allow_nan=False", "allow_nan=True, sort_keys=True")
STAY = {
    "a comment": edit("softmax", "\n\n\ndef", "\n\n# A remark.\ndef"),
    "a docstring": edit("softmax", '"""', '"""A better sentence. '),
    "a docstring of a class": edit(DECODER, '    """A Transformer whose', '    """One whose'),
    "an error's text": edit("fitted_mask", 'ValueError(f"a mask', 'ValueError(f"Sorry, a mask'),
    "imports in another order": edit("split_heads", "import torch\nimport torch.nn.functional as F\n", "import torch.nn.functional as F\nimport torch\n"),
    "an import under another name": lambda copy: [
        copy.edit("split_heads", "import torch.nn.functional as F", "from torch.nn import functional as G"),
        copy.edit("split_heads", "F.scaled_dot", "G.scaled_dot"),
        copy.edit("split_heads", "F.dropout", "G.dropout"),
    ],
    "definitions in another order": swap("split_heads", "split_heads", "merge_heads"),
    "a module renamed": rename("split_heads", "attention_book.zebra"),
    "a module moved to a folder": rename("softmax", "attention_book.zoo.probability"),
    "the experiment moved to a folder": rename(ENTRY, "attention_book.experiments.zoo.cheating_decoder"),
    "a function moved to another module": moved_function,
    "the question": edit(ENTRY, 'QUESTION = "', 'QUESTION = "Now then: '),
    "a new function in a reached module": add("softmax", "def unrelated(x):\n    return 2 * x"),
    "a new constant that calls": add("softmax", "NEW = len([1, 2])"),
    "a function that is not reached": edit("leak", "def leak(", "def leak(more=1, *, "),
    "a guard": edit("split_heads", WIDTH, f"    if x.dim() < 2:\n        raise ValueError(x)\n{WIDTH}"),
    "the condition of a guard": edit("split_heads", "if width % n_heads", "if width // n_heads"),
    "one guard fewer": edit("split_heads", GUARD, ""),
    "the exception of a guard": edit("fitted_mask", 'raise ValueError(f"a mask', 'raise TypeError(f"a mask'),
    "a guard that calls a refusal": lambda copy: [
        copy.add("split_heads", "def refuse_few(x, few: list[int], most=9):\n    n = x.dim()\n    for one in few:\n        if n < one:\n            raise ValueError(most)"),
        copy.edit("split_heads", WIDTH, f"    refuse_few(x, [2, 3], most=3)\n{WIDTH}"),
    ],
}  # fmt: skip
MOVE = {
    "a default": edit("split_heads", "dropout: float = 0.0", "dropout: float = 0.1"),
    "a default of a field": edit("TransformerConfig", "d_ff: int = 2048", "d_ff: int = 2049"),
    "a constant of the experiment": edit(ENTRY, '"steps": 1000', '"steps": 1001'),
    "a constant three calls away": edit("sinusoidal_positions", "LONGEST = 10000.0", "LONGEST = 10001.0"),
    "an operator": edit("split_heads", "width // n_heads", "width % n_heads"),
    "a helper three calls away": edit("fitted_mask", "mask.cpu()", "mask.clone().cpu()"),
    "a decorator": edit(ENTRY, "@torch.inference_mode()", "@torch.no_grad()"),
    "a base class": edit(DECODER, "(Transformer):", "(torch.nn.Module):"),
    "which exception": edit("fitted_mask", 'raise ValueError(f"a mask', 'raise KeyError(f"a mask'),
    "an import of something else": edit("split_heads", "torch.nn.functional as F", "torch.nn.init as F"),
    "a function imported from elsewhere": lambda copy: copy.edit(
        DECODER, "padding_mask\n", "causal_mask as padding_mask\n"
    ),
    "a statement that patches": add("softmax", "np.mean = np.sum"),
    "a loop when the module is imported": add("softmax", "for i in range(3):\n    print(i)"),
} | {
    name: edit("split_heads", WIDTH, f"{code}\n{WIDTH}")
    for name, code in {
        "a guard that binds": "    if (few := x.dim()) < 2:\n        raise ValueError(few)",
        "a guard that takes from an iterator": "    if next(x) is None:\n        raise ValueError(x)",
        "a guard that calculates": "    if x.dim() < 2:\n        x += 1\n        raise ValueError(x)",
        "a guard or a calculation": "    if x.dim() < 2:\n        raise ValueError(x)\n    else:\n        x = x + 1",
        "a guard whose error is caught": "    try:\n        if x.dim() < 2:\n            raise ValueError(x)\n    except ValueError:\n        x = x + 1",
        "a calculation beside a guard": "    if x.dim() < 2:\n        raise ValueError(x)\n    x = x + 1",
    }.items()
}
PREPARED = {
    "the message of an assert": (
        edit("fitted_mask", "    fits = False", "    assert like"), edit("fitted_mask", "assert like", "assert like, 'why'"), False
    ),
    "a name shadowed by a local": (shadow, edit("split_heads", "length = 3", "length = 4"), False),
    "a global in its place": (
        lambda copy: copy.edit("split_heads", "n_heads, width // n_heads).tr", "n_heads, WIDE).tr") or copy.add("split_heads", "WIDE = 4"),
        edit("split_heads", "WIDE = 4", "WIDE = 5"),
        True,
    ),
    "a module as an object": (whole_module, add("softmax", "def unrelated(x):\n    return 2 * x"), True),
    "a docstring in a module as an object": (whole_module, edit("softmax", '"""', '"""Better: '), False),
    "import *": (star, add("noam_schedule", "def unrelated(x):\n    return 2 * x"), True),
    "a module imported by a computed name": (by_name, add("all_claims", "UNRELATED = 1"), True),
    "a comment, where that is": (by_name, add("all_claims", "# Unrelated"), False),
    "a lazy name": (lazily, edit("noam_schedule", "min(", "max("), True),
    "something beside a lazy name": (lazily, add("noam_schedule", "def unrelated(x):\n    return 2 * x"), False),
    "a function that is registered": (registry, add("split_heads", "@ready\ndef late(x):\n    return 1"), True),
    "a call that registers": (registry, add("split_heads", "LATE = READY.append(1)"), True),
    "a registered function": (registered, edit("split_heads", "def late(x):\n    return 1", "def late(x):\n    return 2"), True),
    "functions that call each other": (cycle, edit("softmax", "odd(n - 1)", "odd(n - 2)"), True),
    "the order of such": (cycle, swap("softmax", "even", "odd"), False),
    "how things are stored": (storing, SORTED, False),
    "what is stored": (storing, edit(ENTRY, "write_json(seed", "write_json(configuration"), True),
    "what storing is guarded by": (storing, edit("write_json", "    text = ", "    if not value:\n        raise ValueError\n    text = "), False),
    "a guard, where its error is caught": (catching("ValueError", "seed = 1"), STAY["a guard"], True),
    "a guard, where another error is caught": (catching("OSError", "seed = 1"), STAY["a guard"], False),
    "a docstring that is read": (reads_docstrings, edit(ENTRY, '"""Train with', '"""Train again with'), True),
}  # fmt: skip


CASES = {name: (nothing, change, False) for name, change in STAY.items()}
CASES |= {name: (nothing, change, True) for name, change in MOVE.items()} | PREPARED


@pytest.mark.slow
@pytest.mark.parametrize(("prepare", "change", "moves"), CASES.values(), ids=CASES)
def test_an_edit_moves_the_digest_or_does_not(copy, prepare, change, moves):
    prepare(copy)
    change(copy)
    assert (copy.digest() != prepared(prepare)) == moves


def test_what_errors_say_counts_where_it_is_asked_for(copy):
    before = copy.digest(messages=True)
    STAY["an error's text"](copy)
    assert copy.digest(messages=True) != before


@pytest.mark.slow
def test_where_what_errors_say_counts_guards_and_storage_do_too(copy):
    storing(copy)
    found = {copy.digest(messages=True)}
    for change in (STAY["a guard"], STAY["the condition of a guard"], SORTED):
        change(copy)
        found.add(copy.digest(messages=True))
    assert len(found) == 4


@pytest.mark.parametrize("stored", [load_checkpoint, fetch_file], ids=lambda stored: stored.__name__)
def test_one_module_of_the_package_is_storage_of_each_kind(stored):
    """Those that import the names, such as that of the corpora, are not."""
    definitions = Definitions(SourceGraph(PACKAGE.parent, PACKAGE.name))
    module, name = stored.__module__, stored.__name__
    found = sorted(one for one in definitions.graph.modules if definitions.is_storage(one))
    assert found == ["attention_book.data.fetching", "attention_book.models.checkpoints"] and module in found
    assert [text for _, text in definitions.of(module, name).texts] == [f"Stored({name})"]


def test_what_is_declared_a_refusal_gives_nothing_and_stands_in_its_own_line():
    definitions = Definitions(SourceGraph(PACKAGE.parent, PACKAGE.name))
    assert set(REFUSALS) == {refuse_unreadable.__name__} and refuse_unreadable.__annotations__["return"] is None
    (text,) = [
        text
        for target, text in definitions.of("attention_book.data.subwords").texts
        if target.name == "_read_tokenizer"
    ]
    assert "refuse_unreadable" not in text and "from_str" in text


def test_identical_definitions_are_told_apart(tmp_path):
    """Two tables with one text: it matters which of them is filled."""
    (tmp_path / "tables.py").write_text("A = []\nB = []\n")
    (tmp_path / "main.py").write_text("from tables import A, B\n\n\ndef run():\n    return A, 2 * B\n\n\nA.append(1)\n")
    before = digest(tmp_path)
    (tmp_path / "main.py").write_text("from tables import A, B\n\n\ndef run():\n    return A, 2 * B\n\n\nB.append(1)\n")
    assert digest(tmp_path) != before


def digest(folder, *names):
    definitions = Definitions(SourceGraph(folder))
    return definitions.digest(definitions.of("main", *(names or ["run"])))


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("X = 1\n\n\ndef run(a=lambda X: X):\n    return X", "X = 1", "X = 2"),
        ("X = [1]\n\n\ndef run():\n    return [X for X in X]", "X = [1]", "X = [2]"),
        ("X = 1\n\n\ndef run():\n    global X\n    X += 1", "X = 1", "X = 2"),
        ("X = 1\n\n\ndef run():\n    class A:\n        X = X\n    return A", "X = 1", "X = 2"),
        ("X = 1\n\n\ndef run():\n    X = 3\n\n    class A:\n        def f(self):\n            global X\n            return X", "X = 1", "X = 2"),
        ("X = 1\n\n\ndef run():\n    return eval('X')", "X = 1", "X = 2"),
        ("def a():\n    return 1\n\n\ndef run():\n    return globals()['a']()", "return 1", "return 2"),
        ("import random\n\nR = random.Random(1)\nB = R.random()\nA = R.random()\n\n\ndef run():\n    return A", "B = R.random()\n", ""),
        ("T = {}\nfor i in range(3):\n    T[i] = 1\n\n\ndef run():\n    return T", "= 1", "= 2"),
        ("T = {}\nT.update(a=1)\n\n\ndef run():\n    return T", "a=1", "a=2"),
        ("class B:\n    def __init_subclass__(cls):\n        N.append(cls)\n\n\nN = []\n\n\ndef run():\n    return B, N\n", "N = []\n", "N = []\n\n\nclass C(B):\n    pass\n"),
        ("try:\n    import numpy as np\nexcept ImportError:\n    np = 1\n\n\ndef run():\n    return np", "np = 1", "np = 2"),
        ("if 1 > 0:\n    X = 1\nelse:\n    X = 2\n\n\ndef run():\n    return X", "X = 2", "X = 3"),
    ],
)  # fmt: skip
def test_what_names_cannot_hide(tmp_path, code, old, new):
    (tmp_path / "main.py").write_text(code)
    before = digest(tmp_path)
    assert old in code
    (tmp_path / "main.py").write_text(code.replace(old, new, 1))
    assert digest(tmp_path) != before


def test_a_folder_beside_the_sources_stays_when_its_user_moves(tmp_path):
    code = "from pathlib import Path\n\n\ndef run():\n    return {} / 'weights'\n"
    (tmp_path / "package" / "room").mkdir(parents=True)
    main = tmp_path / "main.py"
    main.write_text("from package.reader import run")
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "reader.py").write_text(code.format("Path(__file__).parents[1]"))
    before = digest(tmp_path)
    (tmp_path / "package" / "reader.py").unlink()
    main.write_text("from package.room.reader import run")
    (tmp_path / "package" / "room" / "reader.py").write_text(code.format("Path(__file__).parents[2]"))
    assert digest(tmp_path) == before
    (tmp_path / "package" / "room" / "reader.py").write_text(code.format("Path(__file__).parents[1]"))
    assert digest(tmp_path) != before


def test_what_is_not_there_is_refused(tmp_path):
    (tmp_path / "main.py").write_text("X = 1\n")
    with pytest.raises(ValueError, match="main defines no run"):
        digest(tmp_path)
    with pytest.raises(ValueError, match="no such module: nothing"):
        Definitions(SourceGraph(tmp_path)).of("nothing")


def test_the_digest_is_the_same_in_every_process_where_modules_have_the_same_text(tmp_path):
    """Packages that hold nothing but other modules are alike: the order of a set, which a process draws, may not count."""
    for name in "abcdefgh":
        (tmp_path / "src" / "book" / name).mkdir(parents=True)
        (tmp_path / "src" / "book" / name / "__init__.py").touch()
        (tmp_path / "src" / "book" / name / "inside.py").write_text(f"LETTER = {name!r}\n", encoding="utf-8")
    (tmp_path / "src" / "book" / "__init__.py").touch()
    (tmp_path / "src" / "book" / "reader.py").write_text(
        "import importlib\n\n\ndef read(name):\n    return importlib.import_module(name)\n"
    )
    code = (
        "import sys; from pathlib import Path; from attention_book.provenance import definitions as d, source_graph as s\n"
        "found = d.Definitions(s.SourceGraph(Path(sys.argv[1]), 'book')); print(found.digest(found.of('book')))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code, tmp_path / "src"],
            env=os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(told) == 1 and len(told.pop().strip()) == 16, told
