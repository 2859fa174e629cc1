"""A forked kernel does what a kernel of its own does, and starts with the libraries alone."""

import os
import time

import nbformat
import pytest
import warm_kernels
from nbclient.exceptions import CellExecutionError, DeadKernelError
from notebook_client import NotebookClient

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kernels are forked"),
]


@pytest.fixture(scope="module")
def forks():
    with warm_kernels.started() as forks:
        yield forks


@pytest.fixture
def run(forks, tmp_path):
    """Runs cells in a forked kernel; the texts that they print, or the class's own if there is none."""

    def run(*cells, kernels=None):
        content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = NotebookClient(
            content,
            kernel_manager_class=kernels or warm_kernels.manager(forks),
            resources={"metadata": {"path": str(tmp_path)}},
        )
        client.execute()
        return ["".join(output.get("text", "") for output in cell.outputs) for cell in content.cells], client

    return run


def shown(notebook):
    """What each output of a notebook is: its text, or the names of its forms with the plain one's text."""
    return [
        [
            [one["text"]] if one.output_type == "stream" else [one.data["text/plain"], sorted(one.data)]
            for one in cell.outputs
        ]
        for cell in notebook.cells
    ]


def printed(run, *cells):
    return run(*cells)[0]


def test_the_libraries_are_there_and_the_package_is_not(run):
    told = printed(run, "import sys; print([name in sys.modules for name in ('torch', 'attention_book')])")
    assert told == ["[True, False]\n"]


def test_nothing_of_one_kernel_is_in_the_next(run):
    first = printed(run, "import numpy, random; numpy.book = 1; print(random.random(), numpy.random.random())")
    second = printed(run, "import numpy, random; print(random.random(), numpy.random.random())", "numpy.book = 2")
    assert first[0] != second[0]
    assert printed(run, "import numpy; print(hasattr(numpy, 'book'), 'first' in globals())") == ["False False\n"]


def test_it_runs_in_the_folder_with_the_environment_and_the_command_of_a_kernel(run, tmp_path, monkeypatch):
    monkeypatch.setenv("OF_THIS_TEST", "seen")
    (tmp_path / "beside.py").write_text("found = 'beside'")
    told = printed(run, "import os, sys, beside; print(os.getcwd(), os.environ['OF_THIS_TEST'], beside.found)")
    assert told == [f"{tmp_path.resolve()} seen beside\n"]
    looked_at = "import sys; print([one for one in sys.path if one.endswith('site')], sys.argv[0][-22:])"
    assert printed(run, looked_at)[0].startswith("[] ")


def test_what_it_shows_is_what_a_kernel_of_its_own_shows(run):
    from jupyter_client.manager import AsyncKernelManager

    cells = (
        "import matplotlib.pyplot as plt\nprint(plt.get_backend())\nplt.plot([1, 2]);",
        "import os, sys\nos.system('echo from a child'); print('stray', file=sys.stderr); 6 * 7",
    )
    forked, alone = (shown(run(*cells, kernels=kernels)[1].nb) for kernels in (None, AsyncKernelManager))
    assert forked == alone
    assert forked[0][1][1] == ["image/png", "text/plain"] and ["stray\n"] in forked[1]


def test_an_error_and_a_death_are_told(run):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run("1 / 0")
    with pytest.raises(DeadKernelError):
        run("import os; os._exit(3)")


def test_no_kernel_is_left(run):
    told, _ = run("import os; print(os.getpid())")
    gone = warm_kernels.Forked(int(told[0]))
    begun = time.monotonic()
    while gone.poll() is None and time.monotonic() < begun + 10:
        time.sleep(0.05)
    assert gone.poll() == 0


def test_a_process_that_cannot_fork_says_so():
    with warm_kernels.started() as forks:
        forks.process.kill()
        forks.process.wait()
        with pytest.raises(RuntimeError, match="ended with status -9"):
            forks.fork(["python", "-m", "ipykernel_launcher"], ".", {})
