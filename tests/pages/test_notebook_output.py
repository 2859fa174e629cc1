"""The helpers of hidden cells: numbers stay what they are, tables are tables."""

import os
import re
import subprocess
import sys

import IPython.display
import myst_nb
import numpy as np
import pytest
import torch

from attention_book.pages.notebook_output import GRAMMAR, glue_all, table
from attention_book.paths import PACKAGE
from attention_book.provenance.definitions import Definitions
from attention_book.provenance.source_graph import SourceGraph


def test_whole_numbers_stay_whole_and_others_become_floats(monkeypatch):
    glued = {}
    monkeypatch.setattr(myst_nb, "glue", lambda name, number, display: glued.update({name: number}))
    learned = torch.tensor(2.0, requires_grad=True)
    glue_all(count=3, numpy_count=np.int64(4), share=np.float32(0.5), tensor=learned, spread="1 ± 2")
    assert glued == {"count": 3, "numpy_count": 4, "share": 0.5, "tensor": 2.0, "spread": "1 ± 2"}
    assert [type(number) for number in glued.values()] == [int, int, float, float, str]


def test_a_page_with_numbers_does_not_depend_on_all_of_the_package():
    """It would run again whenever anything is edited."""
    reached = Definitions(SourceGraph(PACKAGE.parent, PACKAGE.name), messages=True).of(
        "attention_book.pages.notebook_output"
    )
    assert "everything" not in {target.kind for target, _ in reached.texts} and len(reached.loaded) < 10


@pytest.mark.slow
def test_the_grammar_of_addresses_is_not_read_for_a_number_and_can_be_afterwards(tmp_path):
    (tmp_path / f"{GRAMMAR}.py").write_text("print('read')\n", encoding="utf-8")
    code = (
        "import sys; from attention_book.pages.notebook_output import glue_all\n"
        f"glue_all(a=1); assert 'jsonschema' in sys.modules; print('glued'); import {GRAMMAR}"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["glued", "read"] and done.stdout.count("read") == 1


def test_a_table_shows_its_cells_as_text(monkeypatch):
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda table: shown.append(table.data))
    table(["a", "<b>"], (row for row in [["1", "2 & 3"], ["4", "5"]]))
    assert re.findall(r"<th scope=.col.>(.*?)</th>", shown[0]) == ["a", "&lt;b&gt;"]
    assert re.findall(r"<td>(.*?)</td>", shown[0]) == ["1", "2 &amp; 3", "4", "5"]
    assert shown[0].count("<tr>") == 3
    with pytest.raises(ValueError, match="a row of 1 cells does not fit a header of 2"):
        table(["a", "b"], [["1"]])


def test_a_column_in_another_language_says_so(monkeypatch):
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda table: shown.append(table.data))
    table(["English", "Spanish"], [["cats", "gatos"], ["dogs", "perros"]], languages={"Spanish": "es"})
    assert re.findall(r'<td lang="es">(.*?)</td>', shown[0]) == ["gatos", "perros"]
    assert re.findall(r"<td>(.*?)</td>", shown[0]) == ["cats", "dogs"]
