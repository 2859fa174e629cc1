"""`make lab` and `make edit`, in Chromium: what a reader meets in JupyterLab on five of the book's pages."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup
from reader_copies import LINK

from .lab import BOOK, PANEL, OpenNotebook, running_lab

pytestmark = pytest.mark.browser
HTML = BOOK / "_build" / "html"
RAW = {
    "a directive": r"(?:`{3,}|:{3,})\s*\{?[\w-]*",
    "a role": r"\{[a-z][\w:+-]*\}[`\s]",
    "a label": r"^\([\w-]+\)=",
    "a formula or macro that was not drawn": r"\\[a-zA-Z]{2,}|\$\$",
    "attributes": r"\]\{[.#]",
}


@dataclass
class Explorer:
    """What to do with a page's explorer: set a trait in Python, see it; do something, and read it in Python."""

    change: str
    gesture: callable
    reading: str
    becomes: str


@dataclass
class Tried:
    page: str
    check: str  # the call of the check of the exercise that is solved
    interact: str  # text of the cell with sliders
    explorer: Explorer = field(default=None)


def painted(cell):
    cell.get_by_role("button", name="before only", exact=True).click()


def retyped(cell):
    number = cell.get_by_label("Query of cats, component 1", exact=True)
    number.fill("7")
    number.press("Enter")


def stepped(cell):
    cell.get_by_role("button", name="Back").click()


TRIED = [
    Tried("attention/masks", "check_causal_mask(my_causal_mask)", "def draw_mask",
          Explorer("explorer.paint('all')", painted, "explorer.may[0][0], explorer.may[1][0]", "False True")),
    Tried("attention/scaled-dot-product", "check_without(without)", "def at_temperature",
          Explorer("explorer.causal = True", retyped, "explorer.q[2][0]", "7.0")),
    Tried("before/decoding", "check_greedy(my_greedy)", "def translate",
          Explorer("explorer.step = 3", stepped, "explorer.step", "2")),
    Tried("before/vanishing-gradients", "check_reach(reach)", "def forgotten"),
]  # fmt: skip
WITH_EXPLORER = [tried for tried in TRIED if tried.explorer]


def status():
    return subprocess.run(["git", "status", "--porcelain"], cwd=BOOK, capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """`make lab` with a folder of its own for the copies: its address, and the folder."""
    if not HTML.exists():
        pytest.skip("the book is not built: make book")
    pytest.importorskip("jupyterlab")
    scratch, before = tmp_path_factory.mktemp("lab"), status()
    with running_lab(scratch, "--folder", scratch / "notebooks") as address:
        yield address, scratch / "notebooks"
    assert status() == before  # reading, running, answering and saving left the checkout as it was


def new_page(chromium, **settings):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, **settings)
    context.set_default_timeout(60_000)
    return context.new_page()


@pytest.fixture(scope="module")
def browser_page(chromium, lab):
    page = new_page(chromium)
    page.goto(lab[0])
    page.locator(".jp-MarkdownViewer h1").wait_for()
    yield page
    page.context.close()


def in_front(page, path):
    page.evaluate("async (path) => { await window.jupyterapp.commands.execute('docmanager:open', { path }); }", path)


@pytest.fixture(scope="module")
def opened(lab, browser_page):
    """Opens a page by its link on the start page and runs all of it, once; then gives it back as it is."""
    found = {}

    def at(tried):
        if tried.page not in found:
            [path] = lab[1].glob(f"*/* {Path(tried.page).name}.ipynb")
            in_front(browser_page, "Start here.md")
            title = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
            first = "".join(title).splitlines()[0].lstrip("# ")
            browser_page.locator(".jp-MarkdownViewer:visible").get_by_role("link", name=first, exact=True).click()
            browser_page.locator(".jp-NotebookPanel:visible .jp-Cell").first.wait_for()
            found[tried.page] = OpenNotebook(browser_page)
            found[tried.page].folded = found[tried.page].run(
                f"{PANEL} return cells.map((cell) => cell.model.type === 'code' && cell.inputHidden);"
            )
            found[tried.page].run_all()
        path = next(lab[1].glob(f"*/* {Path(tried.page).name}.ipynb")).relative_to(lab[1]).as_posix()
        in_front(browser_page, path)
        return found[tried.page]

    return at


@pytest.fixture(scope="module", params=TRIED, ids=lambda tried: tried.page)
def tried(request):
    return request.param


def test_all_of_it_runs_without_an_error_and_without_a_question(opened, tried):
    notebook = opened(tried)
    assert [output for output in notebook.outputs() if output["output_type"] == "error"] == []
    counts = notebook.run(f"{PANEL} return cells.filter((cell) => cell.model.type === 'code')"
                          ".map((cell) => cell.model.executionCount);")  # fmt: skip
    assert all(counts), "a cell was not run"
    assert notebook.page.locator(".jp-Dialog").count() == 0
    assert notebook.page.locator(".jp-toast, .Toastify__toast").count() == 0
    assert notebook.python("import os, torch; print(os.environ['OMP_NUM_THREADS'], torch.get_num_threads())") == "1 1"
    assert notebook.python("import sys; print(sys.executable)") == sys.executable


def test_nothing_of_the_books_markup_is_seen(opened, tried):
    notebook = opened(tried)
    for text in notebook.prose():
        assert [name for name, mark in RAW.items() if re.search(mark, text, re.M)] == [], text
    drawn = notebook.page.locator(".jp-NotebookPanel:visible .jp-RenderedMarkdown")
    page = BeautifulSoup((HTML / "chapters" / f"{tried.page}.html").read_text(encoding="utf-8"), "html.parser")
    formulas = len(page.select("article.bd-article .math"))
    assert drawn.locator("mjx-container").count() == formulas > 0
    assert drawn.locator("mjx-merror, mjx-mtext[style*=color], [data-mjx-error]").count() == 0


def test_the_prose_holds_the_numbers_of_the_built_page(opened, tried):
    page = BeautifulSoup((HTML / "chapters" / f"{tried.page}.html").read_text(encoding="utf-8"), "html.parser")
    article = page.select_one("article.bd-article")
    for other in article.select(".math, .cell, .headerlink, pre, code, .toctree-wrapper, .citation, nav"):
        other.decompose()
    paragraphs = [p.get_text() for p in article.find_all("p") if re.search(r"\d", p.get_text())]
    assert len(paragraphs) > 10

    def plain(text):
        return re.sub(r"[\W_]+", "", text)

    here = plain("".join(opened(tried).prose()))
    assert [text for text in paragraphs if plain(text) not in here] == []


def test_cells_that_the_page_hides_are_folded(opened, tried):
    notebook = opened(tried)
    hidden = {"remove-cell", "remove-input", "hide-cell", "hide-input", "setup"}
    expected = [bool(hidden & set(about.get("tags", ()))) for about in notebook.metadata()]
    assert any(expected)
    assert notebook.folded == expected


@pytest.mark.parametrize("tried", WITH_EXPLORER, ids=lambda tried: tried.page, scope="module")
def test_an_explorer_follows_a_trait_and_writes_one(opened, tried):
    notebook, explorer = opened(tried), tried.explorer
    cell = notebook.cell(notebook.find("explorer = "))
    words = cell.locator(".explorer-words")
    words.wait_for()
    before, shown = words.inner_text(), words.element_handle()
    said = notebook.python(f"{explorer.change}; print(explorer.in_words())")
    assert said != before
    notebook.page.wait_for_function("([one, said]) => one.innerText.trim() === said", arg=[shown, said])
    assert notebook.python(f"print({explorer.reading})") != explorer.becomes
    explorer.gesture(cell)
    notebook.page.wait_for_function("([one, said]) => one.innerText.trim() !== said", arg=[shown, said])
    assert notebook.python(f"print({explorer.reading})") == explorer.becomes


def test_a_cell_with_sliders_answers(opened, tried):
    notebook = opened(tried)
    cell = notebook.cell(notebook.find(tried.interact))
    handle, shown = cell.locator(".noUi-handle").last, cell.locator(".widget-output")
    shown.get_by_text(re.compile(r"\S")).first.wait_for()
    before = shown.inner_text()
    handle.focus()
    handle.press("ArrowRight")
    handle.press("ArrowRight")
    notebook.page.wait_for_function("([one, before]) => one.innerText.trim() && one.innerText !== before",
                                    arg=[shown.element_handle(), before])  # fmt: skip


def solution(tried):
    """What the appendix answers, without the call of the check."""
    name = tried.page.split("/")[1]
    text = (BOOK / "chapters" / "appendix" / "solutions" / f"{name}.md").read_text(encoding="utf-8")
    [cell] = re.findall(rf"```\{{code-cell\}} ipython3\n((?:(?!```).)*?)\n{re.escape(tried.check)}\n```", text, re.S)
    return cell.strip()


def test_an_exercise_solved_in_it_is_accepted_and_the_answer_survives_the_next_version(opened, tried, lab):
    notebook = opened(tried)
    check = notebook.sources().index(tried.check)
    assert "Passed." not in json.dumps(notebook.outputs(check))
    answer = check - 1
    notebook.write(answer, solution(tried))
    assert notebook.sources()[answer] == solution(tried)
    for number in (answer, check):
        notebook.run_cell(number)
    notebook.cell(check).get_by_text("Passed.").first.wait_for()
    notebook.save()
    [path] = lab[1].glob(f"*/* {Path(tried.page).name}.ipynb")
    saved = path.read_bytes()
    assert json.dumps(solution(tried).splitlines()[-1])[1:-1] in saved.decode("utf-8")
    told = subprocess.run([sys.executable, BOOK / "site" / "run_lab.py", "--write-only", "--folder", lab[1]],
                          capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert "yours, left as they are" in told
    assert path.read_bytes() == saved


def test_the_live_translator_asks_python_and_follows_its_traits(lab, browser_page):
    [path] = lab[1].glob("*/* how-good-is-it.ipynb")
    in_front(browser_page, path.relative_to(lab[1]).as_posix())
    browser_page.locator(".jp-NotebookPanel:visible .jp-Cell").first.wait_for()
    notebook = OpenNotebook(browser_page)
    number = notebook.find("LiveTranslator()")
    notebook.run_cell(number)
    cell = notebook.cell(number)
    cell.locator(".live-result[data-whole=true]").wait_for()
    notebook.python("explorer = _")  # what the cell gave
    assert cell.get_by_role("button", name="Load the translator").count() == 0  # Python is there already

    def shown(text):
        """What stands there once this sentence has been read and translated, and what Python says of it."""
        cell.locator(f".live-source:has-text('{text}')").wait_for()
        cell.locator(".live-slide").press("End")
        there = cell.locator(".live-result[data-whole=true]").inner_text()
        return there, notebook.python("record = explorer.record; print(record['text'])")

    cell.get_by_label("English", exact=True).fill("She sleeps here.")
    cell.get_by_label("English", exact=True).press("Enter")
    typed, told = shown("here")
    assert notebook.python("print(explorer.text)") == "She sleeps here."
    assert typed == told != ""
    assert notebook.python("explorer.text, explorer.beam = 'We have three dogs.', 3; print(explorer.beam)") == "3"
    assert len(set(shown("dogs"))) == 1
    assert cell.get_by_label("English", exact=True).input_value() == "We have three dogs."
    cell.get_by_text("The search:").click()
    drawn = "sum(one['kept'] or one['finished'] for one in record['tree']['nodes'])"
    assert cell.locator(".live-tree text").count() == int(notebook.python(f"print({drawn})"))


def test_every_link_from_a_copy_to_another_leads_there(lab):
    copies = [path for path in lab[1].rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    links = [(copy, unquote(found[2])) for copy in [*copies, lab[1] / "Start here.md"]
             for found in LINK.finditer(copy.read_text(encoding="utf-8"))]  # fmt: skip
    assert len(links) > 5 * len(copies)
    assert [(copy.name, link) for copy, link in links if not (copy.parent / link).is_file()] == []


def test_the_copies_are_ignored_by_git():
    for name in ("notebooks/Start here.md", "notebooks/3 Attention/08 masks.ipynb", "notebooks/.lab/settings/x"):
        assert subprocess.run(["git", "check-ignore", "-q", name], cwd=BOOK).returncode == 0, name


def test_a_source_that_is_opened_run_and_saved_by_make_edit_stays_as_it_is(chromium, tmp_path):
    pytest.importorskip("jupyterlab")
    shutil.copytree(BOOK / "chapters", tmp_path / "chapters")
    source = tmp_path / "chapters" / "attention" / "masks.md"
    before = source.read_bytes()
    with running_lab(tmp_path, "--edit", "--folder", tmp_path / "chapters") as address:
        page = new_page(chromium)
        page.goto(address)
        page.locator(".jp-DirListing-item", has_text="attention").dblclick()
        page.locator(".jp-DirListing-item", has_text="masks.md").first.dblclick()
        page.locator(".jp-NotebookPanel:visible .jp-Cell").first.wait_for()
        notebook = OpenNotebook(page)
        first = notebook.find("import torch\n\nfrom attention_book.attention.dot_product")
        notebook.run_cell(first)
        assert notebook.outputs(first)
        notebook.save()
        assert source.read_bytes() == before
        notebook.write(first, notebook.sources()[first] + "\nprint('edited')")
        notebook.save()
        assert source.read_bytes().replace(b"\nprint('edited')", b"", 1) == before
        page.context.close()
