"""The lint of the pages' cells: it sees a page's cells as one program, and mends them in place."""

import pytest
from lint_pages import lint, visible_cells, with_cells

FRONT = "---\njupytext:\n  text_representation:\n    format_name: myst\nkernelspec:\n  name: x\n---\n\n# A page\n\n"


def page(*cells):
    return FRONT + "\n\n".join(f"```{{code-cell}} ipython3\n:tags: [hide-input]\n{cell}\n```" for cell in cells) + "\n"


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["import math", "print(math.pi)", "%matplotlib inline\nmath.e"], ""),  # a name from a cell above, a magic
        (["print(missing)"], "F821"),
        (["import math"], "F401"),
        ([f"x = '{'a' * 100}'"], "E501"),
        (["for n in range(3):\n    made = lambda: n\nmade()"], "B023"),
    ],
)
def test_it_finds_what_ruff_finds_in_a_notebook(cells, found, capfd):
    status, _ = lint({"chapters/a.md": page(*cells)})
    told = capfd.readouterr().out
    assert (status != 0) == bool(found)
    assert found in told and (not found or "chapters/a.ipynb" in told)


def test_a_name_from_a_hidden_cell_is_found_where_a_page_shows_its_use(capfd):
    hidden = page("import math\nimport os", "print(os.name, math.e)").replace("hide-input", "remove-cell")
    shown = "\n```{code-cell} ipython3\nprint(math.pi)\n```\n"
    assert lint({"chapters/a.md": hidden})[0] == 0
    status, _ = lint({"chapters/a.md": hidden + shown})
    told = capfd.readouterr().out
    assert status != 0 and "F821" in told and "`math`" in told and "`os`" not in told
    assert "where the reader sees it" in told


def test_it_mends_the_cells_and_leaves_the_text(capfd):
    before = page("import os\nimport math\nprint(math.pi)", "print(1)", "import sys\nimport re\nre")
    status, mended = lint({"a.md": before, "b.md": "# No code\n"}, fix=True)
    assert mended == {
        "a.md": page("import math\n\nprint(math.pi)", "print(1)", "import re\n\nre"),
        "b.md": "# No code\n",
    }, capfd.readouterr().out
    assert status == 0


def test_a_cell_that_stands_twice_is_mended_where_it_is():
    assert with_cells(page("a = 1", "a = 1", "b"), ["a = 1", "a = 2", "c"]) == page("a = 1", "a = 2", "c")


WIDE = "sizes = [length * width for length in range(100, 2000, 100) for width in range(100, 200)]"


def test_a_line_that_a_page_would_cut_is_found_and_broken(capfd):
    text = page("a = 1", WIDE, "sizes[:a]")
    status, _ = lint({"a.md": text})
    assert status != 0 and f"a.md:{text.splitlines().index(WIDE) + 1}: a line of {len(WIDE)}" in capfd.readouterr().out
    status, mended = lint({"a.md": text}, fix=True)
    assert status == 0, capfd.readouterr().out
    assert visible_cells(mended["a.md"])[1].startswith("sizes = [\n    length * width")


def test_a_hidden_cell_may_be_wider(capfd):
    text = page("a = 1", WIDE, "sizes[:a]").replace("hide-input", "remove-cell")
    assert lint({"a.md": text}, fix=True) == (0, {"a.md": text}), capfd.readouterr().out
