"""JupyterLab as `make lab` and `make edit` start it, and a notebook that is open in it."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

BOOK = Path(__file__).resolve().parents[2]
PANEL = "const panel = window.jupyterapp.shell.currentWidget; const cells = panel.content.widgets;"


@contextmanager
def running_lab(scratch, *arguments):
    """JupyterLab started by the book's own script, on a free port: its address. `scratch` is for the server's files."""
    environment = {
        **os.environ,
        "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "JUPYTER_DATA_DIR": str(scratch / "data"),
    }
    # Cells out of sight are not drawn otherwise, and then have no text to read.
    reader = scratch / "config" / "lab" / "user-settings" / "@jupyterlab" / "notebook-extension"
    reader.mkdir(parents=True)
    (reader / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}', encoding="utf-8")
    settings = ("--no-browser", "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True")
    with open(scratch / "log", "w+", encoding="utf-8") as log:
        command = [sys.executable, BOOK / "site" / "run_lab.py", *arguments, *settings]
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield _address(scratch / "runtime", server, log)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def _address(runtime, server, log):
    """What the server says of itself in the file that it writes when it listens."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        for file in runtime.glob("jpserver-*.json"):
            try:
                return json.loads(file.read_text(encoding="utf-8"))["url"]
            except ValueError:  # it is being written
                pass
        log.seek(0)
        assert server.poll() is None, f"JupyterLab ended: {log.read()}"
        time.sleep(0.1)
    log.seek(0)
    raise AssertionError(f"JupyterLab did not start: {log.read()}")


class OpenNotebook:
    """The notebook that is in front in JupyterLab, its cells all drawn."""

    def __init__(self, page):
        self.page = page
        page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel")
        self.run(f"{PANEL} await panel.context.ready; await panel.sessionContext.ready;")
        page.wait_for_function(f"() => {{ {PANEL} return cells.every((cell) => cell.isAttached) }}")

    def run(self, script, argument=None):
        return self.page.evaluate(f"async (given) => {{ {script} }}", argument)

    def sources(self):
        return self.run(f"{PANEL} return cells.map((cell) => cell.model.sharedModel.getSource());")

    def metadata(self):
        return self.run(f"{PANEL} return cells.map((cell) => cell.model.sharedModel.getMetadata());")

    def find(self, text):
        """The number of the only code cell that holds a text."""
        kinds = self.run(f"{PANEL} return cells.map((cell) => cell.model.type);")
        found = [n for n, source in enumerate(self.sources()) if kinds[n] == "code" and text in source]
        assert len(found) == 1, f"{len(found)} cells hold {text!r}"
        return found[0]

    def run_all(self):
        self.run("await window.jupyterapp.commands.execute('notebook:run-all-cells');")

    def run_cell(self, number):
        self.run(f"{PANEL} panel.content.activeCellIndex = given; panel.content.deselectAll();"
                 "await window.jupyterapp.commands.execute('notebook:run-cell');", number)  # fmt: skip

    def outputs(self, number=None):
        """What a code cell, or every cell, has put out, as the notebook would be saved."""
        found = self.run(f"{PANEL} return cells.map((cell) => cell.model.type === 'code' ? "
                         "cell.model.sharedModel.getOutputs() : []);")  # fmt: skip
        return [output for cell in found for output in cell] if number is None else found[number]

    def python(self, code):
        """Runs a line in the notebook's kernel; returns what it prints."""
        return self.run(
            f"""{PANEL}
            let said = "";
            const future = panel.sessionContext.session.kernel.requestExecute({{ code: given, store_history: false }});
            future.onIOPub = ({{ header, content }}) => {{
                if (header.msg_type === "stream") said += content.text;
                if (header.msg_type === "error") said += `${{content.ename}}: ${{content.evalue}}`;
            }};
            await future.done;
            return said.trim();""",
            code,
        )

    def cell(self, number):
        """The cell on the page, brought into sight."""
        found = self.page.locator(".jp-NotebookPanel:visible .jp-Cell").nth(number)
        found.scroll_into_view_if_needed()
        return found

    def write(self, number, text):
        """Types a text into a code cell in place of what is there."""
        self.cell(number).locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def prose(self):
        """The text of each Markdown cell as it is drawn, without formulas and code."""
        return self.run(f"""{PANEL} return cells.filter((cell) => cell.model.type === "markdown").map((cell) => {{
            const drawn = cell.node.querySelector(".jp-RenderedMarkdown").cloneNode(true);
            drawn.querySelectorAll("mjx-container, pre, code, .jp-InternalAnchorLink").forEach((one) => one.remove());
            return drawn.textContent;
        }});""")

    def save(self):
        self.run(f"{PANEL} panel.context.model.dirty = true; await panel.context.save();")
