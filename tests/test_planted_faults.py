"""The suite itself under test: each fault planted in a copy of the package must be caught by the tests named for it.

A fault is one replacement in one definition; `faults/` has them. The named tests are those of the suite, run by pytest
on the copy; each must fail with an assertion. That each passes on the package as it is, the suite itself shows; that
a copy is as good as the package, one of each file shows on an untouched copy. Where the code has changed so that a
fault no longer applies, its test fails and says so: write the fault anew.
"""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from faults import FAULTS, ROOMS, Fault

import attention_book
from attention_book.translation.fast.compiling import library

HERE = Path(__file__).parent
PACKAGE = Path(attention_book.__file__).parent
BESIDE = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": ""}
"""An environment in which byte code lies beside its source, and is copied with it."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="faults are planted in forked processes"),
]


def node_ids(fault):
    return [f"{HERE.name}/{test}" for test in fault.tests]


@pytest.fixture(scope="module")
def run_tests(tmp_path_factory):
    """A function that runs tests on the package in a folder and returns {node id without parameters: failures}."""
    folder = tmp_path_factory.mktemp("reports")
    storage = str(folder / "examples")
    # CI: hypothesis draws the same examples in every run, so that a fault is caught always or never.
    environment = {**BESIDE, "OMP_NUM_THREADS": "1", "CI": "1", "HYPOTHESIS_STORAGE_DIRECTORY": storage}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "planting.py"), str(HERE.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )

    def run(source, tests, **limits):
        report = folder / f"{source.name}.xml"
        order = {"source": str(source), "report": str(report), "tests": list(tests), **limits}
        said = []
        for _ in range(2):  # three runs of thousands stood still after their last test, and took 0.3 s when run again
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            status = int(process.stdout.readline())
            said.append(f"pytest ended with {status}:\n{Path(f'{report}.log').read_text()}")
            if status != -signal.SIGKILL:
                break
        assert status in (0, 1), "\n".join(said)
        return list(ElementTree.parse(report).iter("testcase"))

    yield run
    process.stdin.close()
    process.wait()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A copy of the package's modules with their byte code.

    Python takes the byte code of a module as long as its source has the same date and size; a planted fault changes
    the date.
    """
    source = tmp_path_factory.mktemp("compiled")
    shutil.copytree(PACKAGE, source / "attention_book", ignore=shutil.ignore_patterns("pretrained", "__pycache__"))
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(source)], check=True, env=BESIDE)
    return source


@pytest.fixture
def copy(tmp_path_factory, request, compiled):
    """A copy of the package's modules, in a folder to import from: its files are links, and a fault replaces one."""
    name = re.sub(r"\W+", "-", request.node.name)[:60]
    source = tmp_path_factory.mktemp(name)
    shutil.copytree(compiled / "attention_book", source / "attention_book", copy_function=os.link)
    yield source
    shutil.rmtree(source)


def failures(cases, node_id):
    """The texts of the failures among the cases of one node id, and the number of its cases."""
    path, *classes, name = node_id.split("::")
    owner = ".".join([path.removesuffix(".py").replace("/", "."), *classes])
    own = [c for c in cases if c.get("classname") == owner and name in (c.get("name"), c.get("name").split("[")[0])]
    return [failure.text for case in own for failure in case.iter("failure")], len(own)


def uncaught(cases, wanted):
    """Which of the tests did not fail, or failed by something else than an assertion about a value."""
    found = []
    for node_id in wanted:
        failed, _ = failures(cases, node_id)
        if not any(re.search(r": AssertionError$", text, re.MULTILINE) for text in failed):
            found.append((node_id, failed))
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_caught(name, copy, run_tests):
    fault = FAULTS[name]
    if fault.definition.endswith(".c") and library() is None:
        pytest.skip("there is no C compiler")
    fault.plant(copy / "attention_book")
    cases = run_tests(copy, node_ids(fault), options=["--hypothesis-profile=unshrunk"])
    assert uncaught(cases, node_ids(fault)) == []
    assert not [error for case in cases for error in case.iter("error")]


def test_without_a_fault_one_test_of_each_file_passes(copy, run_tests):
    """Few examples of each law will do: the suite draws more, and the question is whether the copy works."""
    of_each = {node_id.partition("::")[0]: node_id for fault in FAULTS.values() for node_id in node_ids(fault)}
    cases = run_tests(copy, of_each.values(), seconds=900, options=["--hypothesis-profile=few"])
    assert [case.get("name") for case in cases if len(case)] == []
    assert all(failures(cases, node_id)[1] for node_id in of_each.values())


def test_a_change_that_breaks_nothing_is_not_called_caught(copy, run_tests):
    tests = FAULTS["causal mask off by one"].tests
    harmless = Fault("causal_mask", "k_len - q_len", "-q_len + k_len", tests)
    harmless.plant(copy / "attention_book")
    cases = run_tests(copy, node_ids(harmless))
    assert [node_id for node_id, _ in uncaught(cases, node_ids(harmless))] == node_ids(harmless)


def test_no_two_rooms_have_a_fault_of_one_name():
    assert sum(len(room.FAULTS) for room in ROOMS) == len(FAULTS)


SOURCE = """
def scaled(q, k):
    return attend(
        q / 2,  # halved
        k, axis = -1
    )

class Layer:
    def forward(self, x):
        if self.ready:
            self.count += 1
            x = x + 1
        return x
"""


class TestPlanting:
    """Planting itself, in packages of a few lines."""

    @pytest.fixture
    def package(self, tmp_path):
        (tmp_path / "room").mkdir()
        (tmp_path / "room" / "code.py").write_text(SOURCE)
        return tmp_path

    @pytest.mark.parametrize(
        ("definition", "old", "new", "line"),
        [
            ("scaled", "q/2", "q", "return attend(q, k, axis=-1)"),
            ("code.scaled", "axis=-1", "axis=0", "return attend(q / 2, k, axis=0)"),
            ("scaled", "attend((q / 2), k, axis=-1)", "q", "return q"),
            ("Layer.forward", "self.count += 1\nx = x + 1", "", "pass"),
            ("room.code.Layer", "self.count += 1", "self.count = 1", "self.count = 1"),
        ],
    )
    def test_neither_layout_nor_place_matters(self, package, definition, old, new, line):
        (package / "room" / "code.py").rename(package / "code.py") if "room" not in definition else None
        Fault(definition, old, new, ()).plant(package)
        (source,) = (path.read_text() for path in package.rglob("*.py"))
        assert line in [one.strip() for one in source.splitlines()]

    def test_in_a_file_of_c_text_is_replaced(self, package):
        (package / "room" / "loops.c").write_text("x = 1;\ny = 1;\n")
        Fault("loops.c", "x = 1;", "x = 2;", ()).plant(package)
        assert (package / "room" / "loops.c").read_text() == "x = 2;\ny = 1;\n"
        with pytest.raises(AssertionError, match=r"loops\.c holds 'z' 0 times"):
            Fault("loops.c", "z", "x", ()).plant(package)

    def test_the_rest_stays_as_it_was(self, package):
        Fault("scaled", "q / 2", "q", ()).plant(package)
        before, after = (ast.parse(text).body for text in (SOURCE, (package / "room" / "code.py").read_text()))
        assert ast.dump(before[1]) == ast.dump(after[1])

    @pytest.mark.parametrize(
        ("definition", "old", "said"),
        [
            ("scaled", "q / 3", r"no longer applies: scaled in room/code\.py holds 'q / 3' 0 times"),
            ("Layer.forward", "1", r"no longer applies: Layer\.forward in room/code\.py holds '1' 2 times"),
            ("Layer.backward", "x", r"no longer applies: the package defines no Layer\.backward"),
        ],
    )
    def test_a_fault_that_no_longer_applies_says_so(self, package, definition, old, said):
        with pytest.raises(AssertionError, match=said):
            Fault(definition, old, "x", ()).plant(package)

    def test_a_name_of_two_definitions_has_to_be_qualified(self, package):
        (package / "room" / "other.py").write_text(SOURCE)
        with pytest.raises(AssertionError, match=r"room\.code\.scaled and room\.other\.scaled: put the module's name"):
            Fault("scaled", "q / 2", "q", ()).plant(package)
        Fault("other.scaled", "q / 2", "q", ()).plant(package)
        assert (package / "room" / "code.py").read_text() == SOURCE
