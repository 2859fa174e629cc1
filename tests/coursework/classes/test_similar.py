"""Which answers count as the same: through other names, comments, layout and numbers, and not through other code."""

import nbformat
import pytest
from typer.testing import CliRunner

from coursework.__main__ import app
from coursework.classes.similar import Alike, alike, fingerprints

ONE = '''import numpy as np
from collections import Counter

def share(numbers, weight: float = 2):
    """The share."""
    total = 0.5  # begins here
    for index, number in enumerate(numbers):
        if number > 0:
            total += np.exp(number) * weight
    return total / Counter(numbers).total()
'''
DISGUISED = """from collections import Counter as Tally
import numpy

def share(values, w=7):
    result: float = 1.5
    for i, v in enumerate(values):

        if v > 3: result += numpy.exp(v) * w
    return result / Tally(values).total()
"""


def written(path, answer, question="share", *more):
    cells = [nbformat.v4.new_code_cell(answer, metadata={"tags": [f"question:{question}"]}), *more]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def fingerprint(path, answer, least=1):
    written(path, answer)
    return fingerprints(path, path.parent, least).get("share")


def test_a_disguise_of_names_comments_layout_and_numbers_is_seen_through(tmp_path):
    assert fingerprint(tmp_path / "a.ipynb", ONE)[0] == fingerprint(tmp_path / "b.ipynb", DISGUISED)[0]


@pytest.mark.parametrize(
    "old, new",
    [
        ("np.exp", "np.log"),
        ("+=", "-="),
        ("numbers).total", "[weight]).total"),
        ("enumerate", "zip"),
        ("number > 0", "number >= 0"),
        ("Counter\n", "OrderedDict as Counter\n"),
        ("total = 0.5", "total = 'none'"),
        ("np.exp(number) * weight", "np.exp(number) * index"),
    ],
)
def test_other_code_is_other_code(tmp_path, old, new):
    assert old in ONE
    changed = fingerprint(tmp_path / "b.ipynb", ONE.replace(old, new))
    assert changed[0] != fingerprint(tmp_path / "a.ipynb", ONE)[0]


def test_short_answers_and_what_does_not_parse_are_not_compared(tmp_path):
    assert fingerprint(tmp_path / "a.ipynb", "def share(x):\n    return sum(x)", least=40) is None
    assert fingerprint(tmp_path / "a.ipynb", "def share(x", least=1) is None


@pytest.fixture
def folder(tmp_path):
    for name in "cdefgh":
        written(tmp_path / f"{name}.ipynb", ONE.replace("0.5", f"[{', '.join('x' * (ord(name) - 90))}]"))
    written(tmp_path / "a.ipynb", ONE)
    written(tmp_path / "b.ipynb", DISGUISED)
    return tmp_path


def test_a_pair_is_found_among_others_and_an_unreadable_notebook_is_told(folder):
    (folder / "z.ipynb").write_text("{")
    pairs, notes = alike(folder, sorted(path.name for path in folder.iterdir()))
    assert [(pair.one, pair.other, pair.questions) for pair in pairs] == [("a.ipynb", "b.ipynb", ("share",))]
    assert pairs[0].nodes > 40 and isinstance(pairs[0], Alike)
    assert notes == [note for note in notes if note.startswith("z.ipynb was not compared: The notebook is damaged")]


def test_what_was_handed_out_and_what_a_third_of_the_class_has_is_left_out(folder, tmp_path_factory):
    names = sorted(path.name for path in folder.iterdir())
    given = tmp_path_factory.mktemp("given") / "share.ipynb"
    written(given, ONE)
    assert alike(folder, names, handed_out=given)[0] == []
    for name in "wxyz":
        written(folder / f"{name}.ipynb", DISGUISED)
    pairs, notes = alike(folder, [*names, *(f"{name}.ipynb" for name in "wxyz")])
    assert pairs == [] and notes == ["share: 6 of 12 submissions have the same answer, which tells nothing."]


def test_the_command_lists_pairs_and_calls_nobody_guilty(folder):
    done = CliRunner().invoke(app, ["similar", str(folder)])
    assert done.exit_code == 0, done.output
    assert "a.ipynb and b.ipynb: 1 alike (share)," in done.output
    assert "1 pairs of 8 submissions. Look at them; the same code is not yet copied code." in done.output
    missing = CliRunner().invoke(app, ["similar", str(folder / "none")])
    assert missing.exit_code == 2 and "no folder of submissions" in missing.output
