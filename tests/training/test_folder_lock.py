"""One training a folder: whoever comes second is refused at once, and no death keeps a folder locked."""

import errno
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from crashing_run import contents, differing, small_run, train
from dying_process import in_a_child

from attention_book.data import corpora
from attention_book.training import folder_lock
from attention_book.training.folder_lock import LOCK, FolderLock, locked
from attention_book.training.runs import run_folder
from attention_book.training.trainer import TrainingError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that start together are forked")


@pytest.fixture
def small():
    with small_run():
        yield


def started_together(*work):
    """Call each function in a forked process, all at the same time; return their exit codes."""
    gate, hold = os.pipe()
    children = []
    for function in work:
        if not (child := os.fork()):
            try:
                signal.alarm(120)
                os.close(hold)
                os.read(gate, 1)  # which ends when the last end to write to is closed
                os._exit(function() or 0)
            finally:
                os._exit(99)
        children.append(child)
    os.close(hold)
    ended = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    os.close(gate)
    return ended


def test_the_second_is_refused_by_the_process_the_host_and_the_start_of_the_first(tmp_path):
    with FolderLock(tmp_path / "run") as lock:
        lock.check()
        told = json.loads((tmp_path / "run" / LOCK).read_text())
        assert (told["process"], told["host"]) == (os.getpid(), socket.gethostname())
        message = f"process {os.getpid()} on .*, started {told['started'][:4]}.* is training into .*run: wait until"
        with pytest.raises(TrainingError, match=message), FolderLock(tmp_path / "run"):
            pass
        lock.check()
        with FolderLock(tmp_path / "other"):
            pass
    assert list(tmp_path.iterdir()) == []
    with FolderLock(tmp_path / "run"):
        pass


def test_a_folder_that_was_there_or_is_not_empty_stays(tmp_path):
    with FolderLock(tmp_path):
        pass
    with FolderLock(tmp_path / "made"):
        (tmp_path / "made" / "file").touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["made", "file"]


@pytest.mark.parametrize("die", [lambda: os._exit(5), lambda: os.kill(os.getpid(), signal.SIGKILL), sys.exit])
def test_a_dead_process_locks_nothing_and_its_file_is_taken_over(tmp_path, die):
    def life():
        FolderLock(tmp_path).__enter__()
        die()

    assert in_a_child(life) != 0
    assert (tmp_path / LOCK).exists()
    with FolderLock(tmp_path):
        assert json.loads((tmp_path / LOCK).read_text())["process"] == os.getpid()
    assert not (tmp_path / LOCK).exists()


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"process": 1}', "x" * 9999])
def test_a_file_that_says_nothing_is_no_lock_and_its_holder_is_another_process(tmp_path, text):
    (tmp_path / LOCK).write_text(text)
    with FolderLock(tmp_path) as lock:
        os.ftruncate(lock._file, 0)
        with pytest.raises(TrainingError, match="another process is training into"), FolderLock(tmp_path):
            pass


@pytest.mark.slow
def test_at_most_one_process_at_a_time_is_inside_however_many_come_and_die(tmp_path):
    """In each of many rounds five processes want in, some of which die inside; an overlap is seen by a file's name."""
    folder, inside = tmp_path / "run", tmp_path / "inside"

    def visits(seed):
        numbers = random.Random(seed)

        def visit():
            for _ in range(10_000):
                try:
                    lock = FolderLock(folder).__enter__()
                except TrainingError as error:
                    if "is training into" not in str(error):
                        return 3
                    time.sleep(numbers.uniform(0, 0.002))
                    continue
                os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # FileExistsError: two are inside
                lock.check()
                time.sleep(numbers.uniform(0, 0.002))
                inside.unlink()
                if numbers.random() < 0.3:
                    os.kill(os.getpid(), signal.SIGKILL)
                lock.__exit__()
                return 0
            return 4

        return visit

    ended = [code for round in range(40) for code in started_together(*map(visits, range(5 * round, 5 * round + 5)))]
    assert set(ended) == {0, -signal.SIGKILL}
    assert len(ended) == 200


@pytest.mark.parametrize("third", [True, False])
def test_a_lock_on_a_file_that_its_holder_has_removed_is_none(tmp_path, monkeypatch, third):
    """Between opening the file and locking it the holder leaves, and perhaps another comes: its file is a new one."""
    holder, other, lock = FolderLock(tmp_path).__enter__(), FolderLock(tmp_path), folder_lock._lock

    def late(file):
        monkeypatch.setattr(folder_lock, "_lock", lock)
        holder.__exit__()
        if third:
            other.__enter__()
        return lock(file)

    monkeypatch.setattr(folder_lock, "_lock", late)
    refused = None
    try:
        with FolderLock(tmp_path) as second:
            second.check()
    except TrainingError as error:
        refused = str(error)
    if third:
        other.check()
        other.__exit__()
    assert (refused is not None and "is training into" in refused) if third else refused is None


def test_threads_of_one_process_are_kept_apart_as_well(tmp_path):
    refused = []

    def second():
        with pytest.raises(TrainingError) as caught, FolderLock(tmp_path):
            pass
        refused.append(str(caught.value))

    with FolderLock(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert [f"process {os.getpid()} " in message for message in refused] == [True]


@pytest.mark.parametrize("lose", [lambda path: path.unlink(), lambda path: shutil.rmtree(path.parent)])
def test_a_run_whose_folder_was_removed_stops_and_leaves_the_next_one_alone(tmp_path, lose):
    with FolderLock(tmp_path / "run") as first:
        lose(tmp_path / "run" / LOCK)
        with pytest.raises(TrainingError, match="was removed while this training ran"):
            first.check()
        with FolderLock(tmp_path / "run") as second:
            with pytest.raises(TrainingError, match="was removed while this training ran"):
                first.check()
            first.__exit__()
            second.check()


def test_a_run_and_its_output_are_both_held(tmp_path):
    run, output = tmp_path / "run", tmp_path / "output"
    with locked(run, output) as check:
        check()
        for pair in [(run, tmp_path / "a"), (tmp_path / "b", output), (output, tmp_path / "c"), (tmp_path / "d", run)]:
            with pytest.raises(TrainingError, match="is training into"), locked(*pair):
                pass
        check()
        (output / LOCK).unlink()
        with pytest.raises(TrainingError, match=f"output/{LOCK} was removed"):
            check()
    with locked(run, tmp_path / "x" / ".." / "run") as check:
        check()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "advice"), [(errno.EROFS, "Choose another with --output"), (errno.EACCES, "Choose another with --output")]
)
def test_a_folder_that_cannot_be_written_is_told_with_what_to_do(tmp_path, monkeypatch, code, advice):
    opened = os.open

    def failing(path, *args):
        if str(path).startswith(str(tmp_path / "output")):
            raise OSError(code, os.strerror(code), str(path))
        return opened(path, *args)

    monkeypatch.setattr(os, "open", failing)
    with (
        pytest.raises(TrainingError, match=f"nothing can be written in .*output: {os.strerror(code)}. {advice}"),
        locked(tmp_path / "run", tmp_path / "output"),
    ):
        pass
    assert not (tmp_path / "run").exists()


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    (tmp_path / "run").write_text("in the way")
    with pytest.raises(TrainingError, match=r"nothing can be written in .*run: .*XDG_CACHE_HOME"):
        locked(tmp_path / "run", tmp_path / "output").__enter__()


def test_a_full_disk_leaves_no_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", lambda *args: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left")))
    with pytest.raises(TrainingError, match="No space left"), FolderLock(tmp_path / "run"):
        pass
    assert not (tmp_path / "run").exists()


def test_without_locks_in_the_file_system_no_training_begins(tmp_path, monkeypatch):
    def none(*args):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(folder_lock.fcntl, "flock", none)
    with (
        pytest.raises(TrainingError, match=r"cannot be locked .*No locks available.*on a local disk"),
        FolderLock(tmp_path),
    ):
        pass


@pytest.mark.slow
def test_of_trainings_started_together_in_one_folder_one_trains_and_the_other_is_refused(small, tmp_path):
    """With budgets of their own; what is there at the end is the work of the one that trained, and of it alone."""
    budgets = (500, 700)
    alone = {}
    for tokens in budgets:
        train(tmp_path / f"alone{tokens}", tokens=tokens)
        alone[tokens] = contents(tmp_path / f"alone{tokens}")

    def training(folder, tokens):
        def run():
            try:
                train(folder, tokens=tokens, resume=False)
            except TrainingError as error:
                return 2 if "is training into" in str(error) or "holds a run already" in str(error) else 3

        return run

    won = set()
    for number in range(6):
        folder = tmp_path / f"run{number}"
        ended = started_together(*(training(folder, tokens) for tokens in budgets[:: 1 if number % 2 else -1]))
        assert sorted(ended) == [0, 2]
        tokens = json.loads((folder / "translator" / "results.json").read_text(encoding="utf-8"))["settings"]["tokens"]
        assert not differing(folder, alone[tokens])
        won.add(tokens)
    assert won <= set(budgets)


def test_two_trainings_cannot_write_one_translator_together(small, tmp_path, monkeypatch):
    load = corpora.load
    monkeypatch.setattr(corpora, "load", lambda name: time.sleep(2) or load(name))  # neither is done before both began

    def training(name, seed):
        def run():
            try:
                train(tmp_path / name, seed=seed, output=tmp_path / "output")
            except TrainingError as error:
                assert "output" in str(error)
                return 2

        return run

    assert sorted(started_together(training("a", 1), training("b", 2))) == [0, 2]
    assert sorted(path.name for path in (tmp_path / "output").iterdir()) == [
        "config.json", "model.safetensors", "results.json", "tokenizer.json"
    ]  # fmt: skip


@pytest.mark.slow
def test_the_command_refuses_a_folder_in_use_at_once_with_exit_code_2(tmp_path, monkeypatch):
    environment = {"XDG_CACHE_HOME": str(tmp_path), "ATTENTION_BOOK_DATA": str(tmp_path / "no-corpora")}
    for name, value in {**environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "attention_book", "train", "en-es"]
    with FolderLock(run_folder("en-es", "small", seed=1)):
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: process {os.getpid()} on ")
    assert "Traceback" not in done.stderr
