"""Functions that a page runs only when its reader asks: no build runs them, so they are run here, trained less."""

import re
from pathlib import Path

import ipywidgets
import pytest

CHAPTERS = Path(__file__).parents[2] / "chapters"
CELL = re.compile(r"^```\{code-cell\} ipython3\n(?::tags:[^\n]*\n)?(.*?)^```$", re.M | re.S)
PAGES = [path for path in sorted(CHAPTERS.rglob("*.md")) if "@interact_manual(" in path.read_text(encoding="utf-8")]


def test_there_are_such_pages():
    assert PAGES


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_function_that_waits_for_its_reader_runs(page, monkeypatch, capsys):
    (cell,) = (one for one in CELL.findall(page.read_text(encoding="utf-8")) if "@interact_manual(" in one)
    asked = []

    def interact_manual(**choices):
        """Note the function and the first of its choices, in place of sliders and a button."""
        first = {name: choice[0] for name, choice in choices.items()}
        return lambda function: asked.append((function, first))

    monkeypatch.setattr(ipywidgets, "interact_manual", interact_manual)
    exec(compile(cell.replace("300_000", "30_000"), page.name, "exec"), {})
    ((function, choices),) = asked
    function(**choices)
    assert len(capsys.readouterr().out.splitlines()) >= 3
