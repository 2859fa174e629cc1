"""Run one notebook with the Python that runs this, in the current folder, and print what went wrong; nothing if it ran.

A warning counts: whatever a cell writes to stderr is printed.
"""

import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

path, timeout = sys.argv[1:]
notebook = nbformat.read(path, as_version=4)
client = NotebookClient(
    notebook, timeout=int(timeout), kernel_name="python3", resources={"metadata": {"path": "."}},
    skip_cells_with_tag="skip-execution",
)  # fmt: skip
try:
    client.execute()
except CellExecutionError as error:
    print(error)
for cell in notebook.cells:
    for output in cell.get("outputs", ()):
        if output.get("name") == "stderr":
            print(output.text)
