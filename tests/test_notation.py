"""The notation page and the glossary: they name what the code names, once, and colour what has a role."""

import ast
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
APPENDIX = ROOT / "chapters" / "appendix"
NAMES = ["batch", "q_len", "k_len", "d_model", "n_heads", "d_k", "d_v", "src", "tgt", "memory"]  # of the design
WANTED = """attention, query, key, value, score, weight, mask, causal, padding, head, memory, logits, perplexity,
BLEU, chrF, beam, greedy, subword, BPE, label smoothing, teacher forcing, residual, layer norm, pre-norm, post-norm,
warm-up, checkpoint, epoch, plateau"""


def table_rows(text):
    """The cells of every table row but headers and rules."""
    for table in re.split(r"\n\s*\n", text):
        lines = [line for line in table.splitlines() if line.startswith("|")]
        yield from ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])


def code_names(text):
    return [name for row in table_rows(text) for name in re.findall(r"`([A-Za-z_]+)`", row[1])]


@pytest.fixture(scope="module")
def notation():
    return (APPENDIX / "notation.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def glossary():
    """Each entry: its terms and its text."""
    body = re.search(r"```\{glossary\}\n(.*?)\n```", (APPENDIX / "glossary.md").read_text(encoding="utf-8"), re.S)[1]
    entries = [entry.splitlines() for entry in re.split(r"\n\s*\n", body.split(":sorted:")[1].strip())]
    return [
        (
            [line for line in entry if not line.startswith(" ")],
            " ".join(line.strip() for line in entry if line[0] == " "),
        )
        for entry in entries
    ]


HOMES = {
    "sizes": "attention models data",
    "attention": "attention",
    "positions": "attention/positions models",
    "translation": "models data translation",
    "recurrent": "models/cells models/recurrent models/recurrent_config",
    "training": "training",
}
"""Where the names of each section have to be introduced: rooms or modules. A use elsewhere does not count."""


def sources():
    """The text of each module, by its name with slashes."""
    package = ROOT / "src" / "attention_book"
    return {
        path.relative_to(package).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in package.rglob("*.py")
    }


def names_introduced(source):
    """The functions, arguments, fields and variables that a module defines, and the axes that it names."""
    names = {word for shape in re.findall(r'\[[\w. |]+, "([^"]*)"\]', source) for word in re.findall(r"\w+", shape)}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
    return names


def unknown_names(notation, modules):
    """The names on the page that the modules of their section do not introduce, with the section."""
    parts = re.split(r"^\(notation-(\w+)\)=$", notation, flags=re.MULTILINE)
    for section, text in zip(parts[1::2], parts[2::2], strict=True):
        if section in HOMES:
            homes = [f"{home}/" for home in HOMES[section].split()]
            own = [source for name, source in modules.items() if f"{name}/".startswith(tuple(homes))]
            known = set().union(*map(names_introduced, own))
            yield from ((section, name) for name in code_names(text) if name not in known)


def test_every_name_on_the_page_is_introduced_where_it_belongs(notation):
    assert len(code_names(notation)) > 30
    assert set(HOMES) == set(re.findall(r"^\(notation-(\w+)\)=$", notation, re.MULTILINE)) - {"colours"}
    unknown = ", ".join(f"{name} (of {section})" for section, name in unknown_names(notation, sources()))
    assert not unknown, f"chapters/appendix/notation.md: the package does not introduce {unknown}: rename or remove"


@pytest.mark.parametrize(
    ("section", "name", "other"),
    [
        ("sizes", "k_len", "n_keys"),
        ("attention", "weights", "alphas"),  # weights are talked of in most rooms
        ("recurrent", "w_hh", "w_h"),
        ("training", "rate", "learning_rate"),
    ],
)
def test_a_name_that_the_package_or_the_page_changes_is_found(notation, section, name, other):
    modules = sources()
    homes = tuple(f"{home}/" for home in HOMES[section].split())
    renamed = {
        module: re.sub(rf"\b{name}\b", other, source) if f"{module}/".startswith(homes) else source
        for module, source in modules.items()
    }
    assert (section, name) in list(unknown_names(notation, renamed))
    assert (section, f"{name}_") in list(unknown_names(notation.replace(f"`{name}`", f"`{name}_`"), modules))


def test_the_names_of_the_design_are_all_there_and_none_twice(notation):
    counts = Counter(code_names(notation))
    missing, twice = set(NAMES) - counts.keys(), [name for name, count in counts.items() if count > 1]
    assert not missing, f"chapters/appendix/notation.md: add a row for {', '.join(sorted(missing))}"
    assert not twice, f"chapters/appendix/notation.md: name it in one row only: {', '.join(twice)}"


def test_every_role_has_its_colour_in_the_table(notation):
    for macro, role in (
        ("query", "query"),
        ("key", "key"),
        ("val", "value"),
        ("weight", "weight"),
        ("mask", "mask"),
        ("out", "output"),
    ):
        rows = [row for row in table_rows(notation) if f"\\{macro}{{" in row[0] and f".role-{role}}}" in row[-1]]
        assert rows, f"no row introduces \\{macro} with the colour of {role}"


def test_special_ids_are_those_of_the_configuration(notation):
    from attention_book.data.subwords import Subwords
    from attention_book.models.config import TransformerConfig

    row = next(row for row in table_rows(notation) if "`pad_id`" in row[1])
    config = TransformerConfig.tiny()
    ids = [config.pad_id, config.bos_id, config.eos_id, Subwords.train(["a"], vocab_size=300).unk_id]
    assert row[2] == ", ".join(map(str, ids))


def test_the_glossary_explains_each_word_once_in_a_sentence_or_two(glossary):
    terms = [term for names, _ in glossary for term in names]
    assert len(terms) == len(set(terms)) > 50
    missing = sorted({term.strip() for term in WANTED.replace("\n", " ").split(",")} - set(terms))
    assert not missing, f"chapters/appendix/glossary.md: add an entry for {', '.join(missing)}"
    for names, text in glossary:
        sentences = re.findall(r"[.!?](?=\s|$)", re.sub(r"\{term\}`[^`]*`", "", text))
        assert text.endswith("."), f"chapters/appendix/glossary.md: end the entry of {names} with a full stop"
        told = f"{names} has {len(sentences)} sentences; write one to three"
        assert 1 <= len(sentences) <= 3, f"chapters/appendix/glossary.md: {told}"


def test_the_glossary_is_in_order(glossary):
    first = [names[0].casefold() for names, _ in glossary]
    misplaced = [(one, two) for one, two in pairwise(first) if one > two]
    assert not misplaced, f"chapters/appendix/glossary.md: the entries are not in order at {misplaced}"


def test_every_term_that_a_page_refers_to_is_explained(glossary):
    known = {term for names, _ in glossary for term in names}
    used = {
        " ".join((re.search(r"<([^>]+)>$", target) or [None, target])[1].split())  # a line may end within it
        for page in (ROOT / "chapters").rglob("*.md")
        for target in re.findall(r"\{term\}`([^`]+)`", page.read_text(encoding="utf-8"))
    }
    unknown = ", ".join(sorted(used - known))
    assert used and not unknown, f"a page uses {{term}}`…` for {unknown}: explain it in chapters/appendix/glossary.md"
