"""The reference of the package: read from source, complete, every link there; docstrings name arguments that are."""

import ast
import importlib
import inspect
import pkgutil
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from lxml import html
from package_contents import doc_sections, entries, imports_of, names_on, pages_by_name, pages_in_order, read_room
from package_reference import CODE, PackageRoom, in_hindi, known_elsewhere

import attention_book
from attention_book.pages.book_page import BookPage

BOOK = Path(__file__).parents[2]
REFERENCE = BOOK / "chapters" / "appendix" / "package"
HTML = BOOK / "_build" / "html" / "chapters" / "appendix" / "package"
PAGES = {
    directive.argument: path.stem
    for path in sorted(REFERENCE.glob("*.md"))
    for directive in BookPage.read(path).directives
    if directive.name == "package-room"
}
SOURCE = '''"""A module."""


class Box:
    """Holds a thing."""

    @property
    def thing(self) -> int:
        """What it holds."""

    def put(
        self, thing: int
    ) -> None:
        """Put a thing in."""
        self._thing = thing

    def _hidden(self):
        """Not shown."""


@cached
def grown(numbers: list[int], *, by: int = 1, until_the_largest_is_at_least_as_large_as_this: int = 7) -> list[int]:
    """Each number and something."""
    return [n + by for n in numbers]


def _helper():
    """Not shown."""
'''
DOC = """Hide what is padding.

More of it, and a formula.

Args:
    tokens: ids, padded
        with zeros.
    q_len, k_len: two lengths.
    **options: as for :func:`other`.

Returns:
    The mask: True where a token is.

    A second paragraph.

Raises:
    ValueError: if the ids have not two axes.

Pitfall: a row may be empty.
"""


@pytest.fixture
def module(tmp_path):
    """The module of SOURCE, in a book of its own."""
    room = tmp_path / "src" / "attention_book" / "room"
    room.mkdir(parents=True)
    for name, text in (("__init__", '"""A room."""\n'), ("box", SOURCE), ("empty", '"""Nothing."""\n')):
        (room / f"{name}.py").write_text(text)
    (found,) = read_room("room", tmp_path)
    return found


def test_a_module_is_read_with_its_public_definitions_in_their_order(module):
    assert (module.name, module.file, module.doc) == ("room.box", "src/attention_book/room/box.py", "A module.")
    assert [(one.name, one.kind) for one in module.definitions] == [("Box", "class"), ("grown", "function")]
    assert [(one.name, one.kind) for one in module.definitions[0].members] == [
        ("Box.thing", "property"),
        ("Box.put", "method"),
    ]


def test_a_header_is_whole_fits_the_page_and_has_no_body(module):
    box, grown = module.definitions
    assert box.header == "class Box"
    assert [one.header for one in box.members] == [
        "@property\ndef thing(self) -> int",
        "def put(\n    self, thing: int\n) -> None",
    ]
    assert grown.header.startswith("@cached\ndef grown(\n    numbers: list[int],\n") and grown.header.endswith(
        "list[int]"
    )
    assert max(map(len, grown.header.splitlines())) <= 88


def test_an_unknown_room_is_refused():
    with pytest.raises(ValueError, match="'atention' is no room"):
        read_room("atention")
    with pytest.raises(ValueError, match="'training/memory' is no room"):
        read_room("training", without=["memory"])


def test_a_room_within_a_room_is_read_by_itself_and_left_out_where_it_has_its_own_page():
    whole, inner = ({module.name for module in read_room(room)} for room in ("training", "training.remembering"))
    assert "training.remembering.nearest" in inner < whole
    assert {module.name for module in read_room("training", without=["remembering"])} == whole - inner


def test_a_docstring_is_cut_at_its_sections():
    found = doc_sections(DOC.strip())
    assert [name for name, _ in found] == ["", "Args", "Returns", "Raises", ""]
    assert found[0][1] == "Hide what is padding.\n\nMore of it, and a formula."
    assert found[2][1] == "The mask: True where a token is.\n\nA second paragraph."
    assert found[4][1] == "Pitfall: a row may be empty."


def test_the_entries_of_a_section_have_names_and_whole_texts():
    assert entries(dict(doc_sections(DOC.strip()))["Args"]) == [
        ("tokens", "ids, padded\nwith zeros."),
        ("q_len, k_len", "two lengths."),
        ("**options", "as for :func:`other`."),
    ]
    assert entries("whatever goes wrong") == [("", "whatever goes wrong")]


def test_imports_are_found_by_where_the_name_is_defined():
    cell = "from attention_book import Translator, causal_mask\nfrom attention_book.data.splits import a, b as c\n"
    wanted = {"translation.translator.Translator", "attention.masks.causal_mask", "data.splits.a", "data.splits.b"}
    assert imports_of(cell) == wanted
    assert imports_of("%matplotlib inline\n") == imports_of("def broken(:") == set()


def test_what_a_page_shows_and_imports_is_told_apart():
    page = BookPage.of(
        "# A page\n\n```{code-of} attention_book.attention.masks.leak\n```\n\n"
        "```{code-cell} ipython3\nfrom attention_book import softmax\n```\n\n"
        "```{code-cell} ipython3\n:tags: [remove-cell]\n\nfrom attention_book import entropy\n```\n"
    )
    assert names_on(page) == ({"attention.masks.leak"}, {"attention.probability.softmax"})


def test_the_pages_of_a_name_stand_in_the_order_of_the_book():
    order = pages_in_order()
    assert order[0] == "chapters/index" and len(order) == len(set(order))
    assert set(order) == {page.relative_to(BOOK).with_suffix("").as_posix() for page in BOOK.glob("chapters/**/*.md")}
    for shown, imported in pages_by_name().values():
        assert [*shown] == sorted(shown, key=order.index) and [*imported] == sorted(imported, key=order.index)
        assert not set(shown) & set(imported)


@pytest.mark.parametrize(
    ("target", "known"),
    [("ValueError", True), ("torch.nn.Module", True), ("attention_book.checks", True), ("causal_mask", True),
     ("attention_book.checks.report.NotYet", True), ("attention_book.experiments.read", True),
     ("causal_maks", False), ("attention_book.checks.reports", False)],
)  # fmt: skip
def test_a_reference_without_an_entry_is_known_or_not(target, known):
    assert known_elsewhere(target, "attention_book.attention.masks") is known


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("one of `PARTS`.", "one of ``PARTS``."), ("``x`` and `y`", "``x`` and ``y``"),
     (":math:`a\nb` of :func:`f`", ":math:`a\nb` of :func:`f`"), ("``a\nb`` `c`s_", "``a\nb`` ``c``s_")],
)  # fmt: skip
def test_single_backticks_are_code_and_roles_stay(text, wanted):
    assert CODE.sub(lambda found: found[1] or f"``{found[2]}``", text) == wanted


def test_words_in_devanagari_are_marked_as_hindi():
    found = in_hindi("a verb (पढ़ता) or आप")
    assert [one.astext() for one in found] == ["a verb (", "पढ़ता", ") or ", "आप", ""]
    assert [one["classes"] for one in found[1::2]] == [["language-hi"]] * 2


@pytest.mark.parametrize(
    ("shown", "imported", "wanted"),
    [
        ("", "", []),
        ("a", "", ["Shown in a"]),
        ("ab", "c", ["Shown in a, b; imported in c"]),
        ("", "abc", ["Imported in a, b, c"]),
        ("", "abcde", ["Imported in a, b, c and 2 more"]),
    ],
)
def test_the_line_of_pages_says_where_and_is_left_out_if_there_is_none(monkeypatch, shown, imported, wanted):
    monkeypatch.setattr("package_reference.pages_by_name", lambda: {"room.name": (tuple(shown), tuple(imported))})
    linking = SimpleNamespace(link=lambda page: nodes.inline("", page))
    assert [line.astext() for line in PackageRoom.places(linking, "room.name")] == wanted


def definitions(room):
    for module in read_room(room):
        for one in module.definitions:
            yield from ((module, each) for each in (one, *one.members))


ROOMS = sorted(path.parent.name for path in Path(attention_book.__file__).parent.glob("*/__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_every_argument_that_a_docstring_names_is_one(room):
    wrong = []
    for module, one in definitions(room):
        named = {name.strip().lstrip("*") for name, _ in entries(dict(doc_sections(one.doc)).get("Args", ""))
                 for name in name.split(",")}  # fmt: skip
        node = ast.parse(f"{one.header}:\n    ...").body[0] if one.kind != "class" else None
        if node:
            taken = {n.arg for n in ast.walk(node.args) if isinstance(n, ast.arg)}
        else:
            taken = arguments_of_a_class(module, one.name)
        wrong += [f"{module.name}.{one.name}: {name!r}" for name in named - taken]
    assert wrong == []


@pytest.mark.parametrize("room", PAGES)
def test_every_entry_says_something(room):
    assert [f"{module.name}.{one.name}" for module, one in definitions(room) if not one.doc] == []


def arguments_of_a_class(module, name):
    """What a class takes: the parameters of its `__init__`, or its fields."""
    tree = ast.parse((BOOK / module.file).read_text(encoding="utf-8"))
    node = next(one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == name)
    init = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    if init:
        return {one.arg for one in ast.walk(init.args) if isinstance(one, ast.arg)}
    return {one.target.id for one in node.body if isinstance(one, ast.AnnAssign)}


def imported_names(room):
    """All public functions and classes of a room by importing it: the reference reads the source and never imports.

    Those of a room within it that has a page of its own are left out.
    """
    package = importlib.import_module(f"attention_book.{room}")
    apart = tuple(f"attention_book.{other}." for other in PAGES if other.startswith(f"{room}."))
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if f"{found.name}.".startswith(apart):
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            own = getattr(value, "__module__", None) == found.name and getattr(value, "__name__", None) == name
            if own and not name.startswith("_") and (inspect.isclass(value) or inspect.isroutine(value)):
                yield f"{found.name}.{name}"


@cache
def built_page(room):
    return html.parse(HTML / f"{PAGES[room]}.html", html.HTMLParser(encoding="utf-8")).getroot()


@pytest.mark.site
@pytest.mark.parametrize("room", PAGES)
def test_the_page_of_a_room_has_every_public_name(room):
    entries = {tag.get("id"): tag for tag in built_page(room).xpath("//dt[@id]")}
    assert set(imported_names(room)) <= entries.keys()
    for name, tag in entries.items():
        assert tag.xpath("string(following-sibling::dd[1]//pre)").strip(), name


@pytest.mark.site
@pytest.mark.parametrize("room", PAGES)
def test_each_entry_links_to_the_pages_that_show_it(room):
    linked = 0
    for tag in built_page(room).xpath("//dt[@id]"):
        shown, imported = pages_by_name().get(tag.get("id").removeprefix("attention_book."), ((), ()))
        links = tag.xpath("following-sibling::dd[1]/p[@class='reference-pages'][1]//a/@href")
        wanted = [*shown, *imported[:3]]
        assert [f"chapters/{link.removeprefix('../../').removesuffix('.html')}" for link in links] == wanted
        linked += len(links)
    assert linked


def test_the_rooms_of_the_reference_are_listed_on_its_first_page_and_in_the_contents():
    text = (REFERENCE / "index.md").read_text(encoding="utf-8")
    assert all(f"{{doc}}`{page}` (`attention_book.{room}`)" in text for room, page in PAGES.items())
    contents = [name for name in pages_in_order() if name.startswith("chapters/appendix/package/")]
    assert {Path(name).name for name in contents} == {"index", *PAGES.values()} and {
        room.partition(".")[0] for room in PAGES
    } <= set(ROOMS)
