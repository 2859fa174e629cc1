"""The first cell of a stand-alone notebook: one thread, the colours of the roles, and a font for Hindi."""

import io
import logging
import os
import re
import subprocess
import sys

import matplotlib as mpl
import pytest
from matplotlib import font_manager

from attention_book.pages import notebook
from attention_book.pages.figures.plotting import ROLES


@pytest.fixture
def shown(monkeypatch):
    """What `prepare` displays."""
    found = []
    monkeypatch.setattr("IPython.display.display", lambda output: found.append(output.data))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setitem(mpl.rcParams, "font.family", ["sans-serif"])
    return found


def test_the_colours_of_the_roles_are_there_for_light_and_for_dark(shown):
    notebook.prepare()
    [style] = shown
    light, dark = re.findall(r"\{ (--role.*?) \}", style)
    for name, role in ROLES.items():
        assert f"--role-{name}: {role.light};" in light and f"--role-{name}: {role.dark};" in dark
    assert "[data-jp-theme-light=false]" in style and "@font-face" not in style
    assert notebook.WORD_TABLES.read_text(encoding="utf-8") in style
    assert mpl.rcParams["font.family"] == ["sans-serif"]


def test_the_threads_are_left_to_the_reader_who_has_chosen(shown, monkeypatch):
    notebook.prepare()
    assert os.environ["OMP_NUM_THREADS"] == "1"
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    notebook.prepare()
    assert os.environ["OMP_NUM_THREADS"] == "3"


@pytest.mark.slow
def test_torch_is_not_yet_imported_so_that_it_sees_the_number_of_threads():
    """It reads the variable when it is imported."""
    code = (
        "import sys; from attention_book.pages.notebook import prepare; prepare(hindi=True); "
        "print('torch' in sys.modules); "
        "import torch; print(torch.get_num_threads())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-2:] == ["False", "1"]


def test_hindi_is_drawn_by_matplotlib_and_by_the_page(shown):
    notebook.prepare(hindi=True)
    notebook.prepare(hindi=True)  # a cell may be run twice
    assert mpl.rcParams["font.family"] == ["sans-serif", notebook.FONT]
    assert "NotoSansDevanagari" in font_manager.findfont(notebook.FONT, fallback_to_default=False)
    assert f'@font-face {{ font-family: "{notebook.FONT}"' in shown[-1]
    assert "data:font/ttf;base64,AAEAAA" in shown[-1]
    assert f':lang(hi) {{ font-family: "{notebook.FONT}"' in shown[-1]


def test_matplotlib_has_the_letters_and_warns_of_none(shown, recwarn):
    notebook.prepare(hindi=True)
    figure = mpl.figure.Figure()
    figure.text(0.5, 0.5, "cats बिल्ली")
    figure.savefig(io.BytesIO())
    assert [str(warning.message) for warning in recwarn if "missing from font" in str(warning.message)] == []


@pytest.fixture
def logged():
    """What Matplotlib says to its log, where it is a warning or worse."""
    said, handler, logger = [], logging.Handler(logging.WARNING), logging.getLogger("matplotlib")
    handler.emit = lambda record: said.append(record.getMessage())
    logger.addHandler(handler)
    yield said
    logger.removeHandler(handler)


def test_bold_text_is_drawn_without_a_warning(shown, logged):
    font_manager.findfont("No Such Font")
    assert "No Such Font" in logged.pop(0) and not logged
    notebook.prepare(hindi=True)
    figure = mpl.figure.Figure()
    figure.text(0.5, 0.5, "cats बिल्ली", weight="bold")
    figure.savefig(io.BytesIO())
    assert logged == []


def test_without_the_font_the_rest_is_done(shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "fontpkg_noto_sans_devanagari", None)
    notebook.prepare(hindi=True)
    assert "--role-query" in shown[0] and "@font-face" not in shown[0]
