"""`make edit`: saving a page changes in its source what was edited, and nothing else."""

import shutil
from pathlib import Path

import pytest
from page_sources import PageSources

BOOK = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(BOOK / "chapters").as_posix() for path in (BOOK / "chapters").rglob("*.md"))
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "file_extension": ".py", "pygments_lexer": "ipython3", "version": "3.12.1"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edit") / "chapters"
    shutil.copytree(BOOK / "chapters", folder)
    manager = PageSources()
    manager.root_dir = str(folder)
    return manager


def opened(files, page):
    """The notebook of a page as JupyterLab holds it once a kernel has told its name."""
    model = files.get(page, content=True)
    assert model["type"] == "notebook"
    notebook = model["content"]
    notebook["metadata"] |= {"kernelspec": KERNEL, "language_info": LANGUAGE}
    for cell in notebook["cells"]:
        cell["metadata"]["trusted"] = True
    return notebook


def saved(files, page, notebook):
    """The lines of a page's source before and after its notebook is saved."""
    file = Path(files.root_dir, page)
    before = file.read_bytes()
    model = files.save({"type": "notebook", "format": "json", "content": notebook}, page)
    assert (model["type"], model["content"]) == ("notebook", None)
    after = file.read_bytes()
    file.write_bytes(before)
    return before, after


@pytest.mark.parametrize("page", PAGES)
def test_saving_an_unchanged_page_changes_no_byte_and_an_edited_line_changes_one(files, page):
    notebook = opened(files, page)
    before, after = saved(files, page, notebook)
    assert after == before
    for cell in notebook["cells"]:
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "42"}] * (cell["cell_type"] == "code")
    notebook["cells"][len(notebook["cells"]) // 2]["source"] += "\nA line at the end of a cell."
    before, after = saved(files, page, notebook)
    lines = after.split(b"\n")
    assert b"A line at the end of a cell." in lines
    lines.remove(b"A line at the end of a cell.")
    assert lines == before.split(b"\n")


def test_a_cell_can_be_added_and_removed(files):
    page = "attention/masks.md"
    notebook = opened(files, page)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    removed, above = code[2], code[4]
    notebook["cells"].remove(removed)
    place = notebook["cells"].index(above) + 1
    notebook["cells"].insert(place, {**above, "source": "print('added')", "metadata": {"tags": ["hide-input"]}})
    before, after = (text.decode() for text in saved(files, page, notebook))
    assert "\n```{code-cell} ipython3\n:tags: [hide-input]\n\nprint('added')\n```\n" in after
    assert removed["source"] in before
    assert removed["source"] not in after
    header = before.split("\n---\n")[0]
    assert header.count("covers") == 1
    assert after.startswith(header)
    changed = set(after.splitlines()) - set(before.splitlines())
    changed.discard("+++")  # MyST's mark between two texts, of which the removed cell was in the middle
    assert changed == {":tags: [hide-input]", "print('added')"}


def test_an_entry_of_the_header_can_be_changed(files):
    page = "attention/masks.md"
    notebook = opened(files, page)
    notebook["metadata"]["covers"]["C025"]["section"] = "masks-elsewhere"
    before, after = (text.decode() for text in saved(files, page, notebook))
    assert before.split("\n---\n", 1)[1] == after.split("\n---\n", 1)[1]
    assert after.count("section: masks-elsewhere") == 1
    assert "ipykernel" not in after


def test_a_page_that_did_not_exist_is_written_as_jupytext_writes_it(files):
    notebook = opened(files, "attention/masks.md")
    notebook["cells"] = notebook["cells"][:1]
    files.save({"type": "notebook", "format": "json", "content": notebook}, "attention/new-page.md")
    text = Path(files.root_dir, "attention/new-page.md").read_text(encoding="utf-8")
    assert "format_name: myst" in text
    assert "jupytext_version" not in text
    Path(files.root_dir, "attention/new-page.md").unlink()
