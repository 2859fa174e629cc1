"""`make lab`: a double click on a chapter opens it as a notebook, whose cells run."""

import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

BOOK = Path(__file__).resolve().parents[2]
SETTINGS = BOOK / "site" / "lab-settings.json"
PAGE = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A page

```{code-cell} ipython3
print(6 * 7)
```
"""
pytestmark = pytest.mark.browser


@pytest.fixture
def lab(tmp_path):
    """JupyterLab over a folder with one page, with the book's settings: its address."""
    pytest.importorskip("jupyterlab")
    pages, settings = tmp_path / "pages", tmp_path / "app" / "settings"
    pages.mkdir()
    settings.mkdir(parents=True)
    (pages / "page.md").write_text(PAGE, encoding="utf-8")
    (settings / "overrides.json").write_bytes(SETTINGS.read_bytes())
    port = "18888"
    environment = {**os.environ, "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"), "JUPYTER_RUNTIME_DIR": str(
        tmp_path / "runtime")}  # fmt: skip
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--notebook-dir={pages}",
               f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password=",
               f"--LabServerApp.app_settings_dir={settings}"]  # fmt: skip
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/lab"
    try:
        for _ in range(240):
            try:
                urlopen(address, timeout=2).close()
                break
            except (URLError, TimeoutError, ConnectionError):
                assert server.poll() is None, "JupyterLab ended"
                time.sleep(0.25)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def test_a_double_click_opens_a_chapter_as_a_notebook_that_runs(chromium, lab):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(lab)
    page.locator(".jp-DirListing-item", has_text="page.md").dblclick()
    notebook = page.locator(".jp-NotebookPanel:visible")
    notebook.wait_for()
    notebook.locator(".jp-CodeCell .cm-content").wait_for()
    assert notebook.locator(".jp-CodeCell").count() == 1
    # JupyterLab may ask which kernel to use, with the right one chosen already.
    page.add_locator_handler(page.locator(".jp-Dialog .jp-mod-accept"), lambda button: button.click())
    output = notebook.locator(".jp-OutputArea-output", has_text="42")
    for _ in range(12):  # a cell that is run before its kernel has been chosen and started says nothing
        notebook.locator(".jp-CodeCell .cm-content").click()  # also answers the question about the kernel
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(4000)
        if output.count():
            break
    assert output.count() == 1
    assert "A page" in notebook.locator(".jp-MarkdownCell h1").inner_text()
    context.close()
