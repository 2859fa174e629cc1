"""The walls, with some left out: what is missing is said, and where grades would be in reach nothing is graded."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

import pytest
from notebooks import HONEST, honest_but, notebook

from coursework.grading import grade, submissions
from coursework.layers import NEEDED, Refused, try_walls
from coursework.marking import Marker
from coursework.questions import load_set
from coursework.runner.process import Runner, RunnerFailed
from coursework.runner.sandbox import LAYERS

pytestmark = pytest.mark.slow
SET = Path(__file__).with_name("tiny_set.py")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who can give its user id up")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A machine without namespaces, as a container without rights: a folder that all may read, and a closed one."""
    base = tmp_path_factory.mktemp("bare")
    for folder in (base, *base.parents):
        if folder == Path(gettempdir()):
            break
        folder.chmod(0o755)
    opened, closed = base / "open", base / "closed"
    for folder, mode in ((opened, 0o755), (closed, 0o700)):
        folder.mkdir()
        (folder / "full.ipynb").write_text(notebook(HONEST))
        folder.chmod(mode)
    return opened, closed, try_walls([opened], without=LAYERS), try_walls([closed], without=LAYERS)


@as_root
def test_without_namespaces_readable_submissions_are_refused(bare):
    with pytest.raises(Refused, match=r"cannot read the problem set.*does not hold.*chmod -R go-rwx"):
        bare[2].require()


@as_root
def test_without_namespaces_a_closed_folder_is_graded_and_every_missing_layer_is_said(bare):
    walls = replace(bare[3], broken=bare[3].broken | {"libraries": None})  # Python may be installed for root alone
    walls.require()
    assert not [name for name in NEEDED if walls.broken[name] is not None]
    said = " ".join(walls.notices())
    assert all(f"no {name} namespace: left out on request" in said for name in ("mount", "pid", "net", "ipc", "uts"))
    assert "| mount namespace | | NOT IN USE: left out on request |" in walls.table()


@as_root
def test_without_namespaces_the_attacks_fail_too(bare):
    folder = bare[1]
    attack = f"""
import os, socket
def softmax(scores):
    done = []
    for name, attempt in {{
        "kill": lambda: os.kill({os.getpid()}, 0), "read": lambda: os.listdir({str(folder)!r}), "socket": socket.socket,
        "write": lambda: open("/tmp/written-by-a-submission", "w").write("x" * 9999), "fork": os.fork,
    }}.items():
        try:
            attempt()
            done.append(name)
        except OSError:
            pass
    raise ValueError(f"done: {{done}}")
"""
    (folder / "attack.ipynb").write_text(honest_but("softmax", attack))
    try:
        problem_set = load_set(SET)
        problem_set = replace(problem_set, preload=(*problem_set.preload, "socket"))
        marks = list(grade(Marker(problem_set), folder, submissions(folder), bare[3], quiet=True))
        assert [(mark.name, mark.points) for mark in marks] == [("attack.ipynb", 5), ("full.ipynb", 8)]
        assert "ValueError: done: []" in marks[0].questions[1].tests[0].reason
    finally:
        Path("/tmp/written-by-a-submission").unlink(missing_ok=True)


@as_root
def test_as_root_itself_nothing_is_graded(tmp_path, monkeypatch):
    monkeypatch.setattr("coursework.layers.spare_user", lambda: 0)
    walls = try_walls([tmp_path], without=LAYERS)
    assert walls.user == 0
    with pytest.raises(Refused, match=r"runs as neither root.*cannot become root"):
        walls.require()


def test_a_wall_that_does_not_go_up_is_no_grade(tmp_path):
    limits = load_set(SET).limits
    with Runner((), ["no-such-layer"], None) as runner, pytest.raises(RunnerFailed, match="no-such-layer"):
        runner.run([], [], limits.sent())


@as_root
def test_when_the_grader_is_killed_no_submission_goes_on_running(tmp_path):
    walls = try_walls([tmp_path])
    user, layers = walls.user, [layer for layer in walls.layers if layer == "pid"]

    def running():
        return [p for p in Path("/proc").glob("[0-9]*") if _user(p) == user]

    with Runner((), layers, user) as runner:
        limits = load_set(SET).limits.sent()
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(runner.run, [(1, True, "import time; time.sleep(90)")], [], limits)
            assert _soon(running)
            os.killpg(runner.process_group, signal.SIGKILL)
            assert _soon(lambda: not running())
            assert isinstance(job.exception(), RunnerFailed)


def _soon(happens):
    until = time.monotonic() + 60
    while not happens() and time.monotonic() < until:
        time.sleep(0.1)
    return happens()


def _user(process):
    try:
        return process.stat().st_uid
    except FileNotFoundError:
        return None


def test_a_submission_that_sleeps_is_ended_and_told_so(tmp_path):
    problem_set = load_set(SET)
    questions = tuple(question for question in problem_set.questions if question.id == "softmax")
    limits = replace(problem_set.limits, wall_seconds=1)
    (tmp_path / "sleeps.ipynb").write_text(honest_but("softmax", "import time\ndef softmax(x):\n    time.sleep(600)"))
    walls = try_walls([SET, tmp_path])
    marker = Marker(replace(problem_set, questions=questions, limits=limits))
    mark = next(grade(marker, tmp_path, submissions(tmp_path), walls, workers=1, quiet=True))
    assert mark.points == 0 and "took more than 1 seconds. Does it wait" in mark.questions[0].tests[0].reason
