"""Result readers hand to the pages what the pages print: a number that nothing reads is not computed."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READERS = ROOT / "src" / "attention_book" / "readers"
GLUED = re.compile(r"\{glue(?::\w+)?\}\s*`?\s*(\w+)")


def handed_over(source):
    """The names of the numbers that a reader's functions called `numbers` or `…_numbers` write out."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef) or not re.fullmatch(r"(\w+_)?numbers", function.name):
            continue
        for node in ast.walk(function):
            match node:
                case ast.Dict(keys=keys):
                    constants = [key.value for key in keys if isinstance(key, ast.Constant)]
                    yield from (name for name in constants if isinstance(name, str))
                case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
                    yield from (one.arg for one in keywords if one.arg)
                case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(name)))]):
                    yield name


def unprinted(readers, pages, others=()):
    """(reader, number) for each number that no page prints, and that neither a page's code nor other code names.

    Args:
        readers: the source of each reader, by its name.
        pages: the sources of the pages.
        others: other code that may read numbers.
    """
    printed = {name for text in pages for name in GLUED.findall(text)}
    named = {name for text in [*pages, *others] for name in re.findall(r"""["'](\w+)["']""", text)}
    return {(reader, name) for reader, source in readers.items() for name in handed_over(source)
            if name not in printed | named}  # fmt: skip


@pytest.fixture(scope="module")
def readers():
    return {path.relative_to(READERS).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
            for path in READERS.rglob("*.py")}  # fmt: skip


@pytest.fixture(scope="module")
def pages():
    return [path.read_text(encoding="utf-8") for path in (ROOT / "chapters").rglob("*.md")]


@pytest.fixture(scope="module")
def others():
    """The package without its readers, and without the experiments, whose records have the same names."""
    package = READERS.parent
    return [path.read_text(encoding="utf-8") for path in package.rglob("*.py")
            if path.relative_to(package).parts[0] not in {"readers", "experiments"}]  # fmt: skip


MEASURED = {
    "attention/large_start_small_rate": "folded_latest fourth_first",
    "attention/with_and_without_the_root": "flat_spread other_run others",
    "before/beam_sizes": "median_expansions",
    "beyond/tiles_timed": "causal_share causal_table",
    "reading/cross_attention_links": "breaks_first silenced_first silenced_last",
    "reading/links_by_hand": "real_late_better",
    "translator/piece_lengths": "more_text",
    "translator/thirty_sentences": "unchanged",
    "translator/training_curve": "first_million_fall first_train",
    "verdict/english_hindi_pieces": "points usual_length",
    "verdict/own_sentences": "own_harmless",
    "verdict/verdict": "counting_long counting_short",
}
"""Numbers that no page prints, but by which a test holds a sentence of a page against the shipped result."""


def test_every_number_of_a_reader_is_printed_or_read(readers, pages, others):
    known = {(reader, name) for reader, names in MEASURED.items() for name in names.split()}
    found = unprinted(readers, pages, others)
    new = ", ".join(f"{name} (readers/{reader}.py)" for reader, name in sorted(found - known))
    assert not new, f"no page prints and no code reads {new}: print it, or take it out of the reader and of its test"
    gone = ", ".join(name for _, name in sorted(known - found))
    assert not gone, f"tests/readers/test_printed_numbers.py: take {gone} out of MEASURED: it is printed, read or gone"


@pytest.mark.parametrize(("reader", "names"), MEASURED.items())
def test_what_stays_unprinted_is_measured_by_the_readers_test(reader, names):
    folder, _, name = reader.rpartition("/")
    test = (ROOT / "tests" / "readers" / folder / f"test_{name}.py").read_text(encoding="utf-8")
    assert [one for one in names.split() if f'"{one}"' not in test] == []


PLANTED = """
def {name}(self):
    found = {{f"at_{{n}}": n for n in (1, 2)}}
    found["assigned"] = 1
    return found | {{"printed": 1, "planted": 2}} | dict(told=3)
"""


@pytest.mark.parametrize("name", ["numbers", "score_numbers"])
def test_a_number_that_nothing_reads_is_found(name):
    source = PLANTED.format(name=name)
    pages = ["It is {glue:text}`printed:.2f`, and {glue}`assigned`.", 'numbers()["told"]']
    assert unprinted({"a": source}, pages) == {("a", "planted")}
    assert unprinted({"a": source}, pages, ['numbers["planted"]']) == set()
    assert unprinted({"a": source}, pages[1:]) == {("a", "printed"), ("a", "planted"), ("a", "assigned")}
    assert unprinted({"a": PLANTED.format(name="rows")}, pages) == set()  # not what is handed to the text


def test_a_number_planted_in_a_reader_of_the_book_is_found(readers, pages, others):
    source = readers["before/fed_itself"]
    planted = source.replace('"hurt_5": ', '"hurt_9": 0, "hurt_5": ')
    assert planted != source
    assert unprinted({"before/fed_itself": planted}, pages, others) == {("before/fed_itself", "hurt_9")}
