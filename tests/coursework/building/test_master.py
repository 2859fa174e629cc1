"""A master is read whole or refused with the place and the reason."""

from pathlib import Path

import pytest

from coursework.building.master import read_master
from coursework.questions import BadSet

TEXT = Path(__file__).with_name("tiny_master.md").read_text(encoding="utf-8")


@pytest.fixture
def read(tmp_path):
    """Reads the tiny master with one change."""

    def reading(old="", new=""):
        assert old in TEXT
        (tmp_path / "tiny").mkdir(exist_ok=True)
        (tmp_path / "tiny" / "master.md").write_text(TEXT.replace(old, new) if old else TEXT, encoding="utf-8")
        return read_master(tmp_path / "tiny" / "master.md")

    return reading


def test_the_tiny_master_is_read(read):
    master = read()
    assert (master.name, master.title, master.preload) == ("tiny", "A tiny set", ("numpy",))
    assert [(asked.id, asked.written, asked.points) for asked in master.questions] == [
        ("power-mean", False, None),
        ("why", True, 2),
    ]
    code, text = ["question", "public", "hidden", "hidden"], ["statement", "rubric", "model"]
    roles = ["text", "variants", "code", "statement", *code, *text]
    assert [part.role for part in master.parts] == roles
    assert master.of("hidden")[0].source.startswith("def numbers_drawn")


@pytest.mark.parametrize(
    "old, new, reason",
    [
        ("coursework:", "homework:", "no `coursework:` in its front matter"),
        ("  title: A tiny set\n", "", "front matter: it lacks title"),
        ("  hours: 1", "  hours: 1\n  colour: red", "it has colour, which nothing reads"),
        ("      difficulty: 1\n", "", "question power-mean: it lacks difficulty"),
        ("difficulty: 1", "difficulty: 4", "its difficulty is 1, 2 or 3, not 4"),
        ("      points: 2", "      points: 0", "worth more than 0 points"),
        ("    why:\n", "    Why?:\n", "small letters, digits and hyphens alone"),
        ("public:power-mean", "check:power-mean", "nothing is known of the tag 'check:power-mean'"),
        ("hidden:power-mean]", "hidden:power-mean, hidden]", "a cell has one role, not 2"),
        ("hidden:power-mean", "hidden:mean", "hidden:mean names no question"),
        ("hidden:power-mean", "statement:power-mean", "a statement is text"),
        ("public:power-mean", "hidden", "it has 0 cells public:power-mean, and needs one"),
        ("rubric:why", "statement:why", "0 cells rubric:why, and needs one"),
        ('["model:why"]', '["model:power-mean"]', "it has 1 cells model:power-mean, and has no use for any"),
        ("return (rng.normal", "return ((rng.normal", "is no Python"),
        ("- 1 point: says", "- 2 points: says", "its rubric give 3 points, and the question 2"),
        ("def numbers_drawn", "def power_mean", "power_mean is defined in question:power-mean and in hidden"),
        ("    # END SOLUTION\n", "", "BEGIN STARTER, has no partner"),
    ],
)
def test_a_faulty_master_is_refused_with_the_reason(read, old, new, reason):
    with pytest.raises(BadSet, match=reason):
        read(old, new)


def test_statements_come_in_the_order_of_the_table(read):
    start, middle, end = (TEXT.index(text) for text in ("    power-mean:\n", "    why:\n", "---\n\nTwo questions"))
    with pytest.raises(BadSet, match=r"in the order \['power-mean', 'why'\]"):
        read(TEXT[start:end], TEXT[middle:end] + TEXT[start:middle])


def test_no_master_is_no_traceback(tmp_path):
    with pytest.raises(BadSet, match="There is no master at"):
        read_master(tmp_path / "master.md")
