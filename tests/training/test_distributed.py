"""Training on several processes: what two do is what one does, whatever stops them, and whoever goes on."""

import json
import os
import random
import socket
import subprocess
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file

from attention_book.data.batching import padded_batch
from attention_book.training import distributed
from attention_book.training.distributed import Team, lost_touch, rows_of, team
from attention_book.training.trainer import TrainingError

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"
UNEVEN = [([5, 6], [5, 6]), ([7], [7, 8, 9, 4, 5, 6, 7]), ([4, 4, 4], [9]), ([6], [6, 6])]


def free_port():
    """A port that is free now, and that nobody is given before the team listens there.

    A system hands ports from about 32,768 on to whoever connects somewhere, which the browsers beside this test do.
    """
    while True:
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", random.randint(20_000, 32_000)))
            return str(found.getsockname()[1])


@pytest.fixture(scope="module")
def train():
    """Trains on so many processes by `distributed_run.py`; what each printed, or its exit code with its errors."""
    shared = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")}
    shared |= {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-W", "ignore", TESTS / "distributed_run.py"]
    with subprocess.Popen(command, **pipes, env=shared) as runner:

        def trained(folder, ranks=1, **options):
            team = {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
            order = {"folder": str(folder), "ranks": ranks, "options": options}
            print(json.dumps(order | {"environment": team if ranks > 1 else {}}), file=runner.stdin, flush=True)
            ended = json.loads(runner.stdout.readline())
            return [json.loads(out.splitlines()[-1]) if code == 0 else (code, err) for code, out, err in ended]

        yield trained


def weights(folder, rank=0):
    return load_file(folder / f"weights-{rank}")


def assert_close(ours, theirs):
    """Equal up to the rounding of single precision, which the order of a sum changes, after some steps of Adam."""
    assert ours.keys() == theirs.keys()
    for name in theirs:
        torch.testing.assert_close(ours[name], theirs[name], rtol=2e-3, atol=2e-4)


@pytest.fixture(scope="module")
def straight(train, tmp_path_factory):
    """The run of one process that nothing disturbs."""
    folder = tmp_path_factory.mktemp("straight")
    (told,) = train(folder)
    return folder, told


# Which rows, and what they count.


@pytest.mark.parametrize("size", [2, 3, 4, 7])
def test_every_row_is_some_ranks_own_and_counts_once(size):
    batch = padded_batch(UNEVEN)
    parts = [rows_of(batch, rank, size) for rank in range(size)]
    assert sum(tokens for _, tokens in parts) == batch.target_tokens == 16
    rows = [row for part, tokens in parts if tokens for row in part.tgt_out.tolist()]
    assert sorted(rows) == sorted(batch.tgt_out.tolist())
    assert all(len(part.src) for part, _ in parts)  # a rank without rows computes one that does not count
    for part, tokens in parts:
        assert tokens in (part.target_tokens, 0)


def test_without_torchrun_a_team_has_one_member(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with team("cpu") as own:
        assert own == Team(0, 1, "cpu") and own.leads
        assert own.shared(lambda: [1, 2]) == [1, 2]


def test_a_group_outlives_its_team(monkeypatch):
    """If a `DistributedDataParallel` were its last owner, one process in a few hundred stood still for ever."""

    class Group:
        """A group of processes; it goes when nobody holds it."""

    ended = []
    torch_has = SimpleNamespace(
        init_process_group=lambda backend: setattr(torch_has, "group", SimpleNamespace(WORLD=Group())),
        destroy_process_group=lambda: ended.append(delattr(torch_has, "group")),
    )
    monkeypatch.setattr(distributed, "dist", torch_has)
    monkeypatch.setattr(distributed, "_MET", [])
    monkeypatch.setenv("WORLD_SIZE", "2")
    with team("cpu"):
        group = weakref.ref(torch_has.group.WORLD)
    assert ended == [None] and group() is not None


# One step, and a whole run.


@pytest.mark.parametrize("rows", [4, 1])
def test_two_processes_have_the_loss_and_the_gradient_of_one(train, tmp_path, rows):
    settings = {"clip": 1e9}
    (one,) = train(tmp_path, first=rows, settings=settings)
    two = train(tmp_path, ranks=2, first=rows, settings=settings)
    wanted = load_file(tmp_path / "gradients-0-of-1.safetensors")
    assert max(gradient.abs().max() for gradient in wanted.values()) > 0.01
    for rank in range(2):
        assert two[rank]["loss"] == pytest.approx(one["loss"], rel=1e-5)
        found = load_file(tmp_path / f"gradients-{rank}-of-2.safetensors")
        for name in wanted:
            torch.testing.assert_close(found[name], wanted[name], rtol=1e-4, atol=1e-6)


def test_two_processes_end_with_the_weights_and_the_curve_of_one(train, straight, tmp_path):
    folder, wanted = straight
    found, other = train(tmp_path, ranks=2)
    assert found["finished"] and found["step"] == other["step"] == wanted["step"] > 15
    assert_close(weights(tmp_path), weights(folder))
    for name, tensor in weights(tmp_path, 1).items():
        assert torch.equal(tensor, weights(tmp_path)[name])  # not one bit apart: they take the same steps
    for ours, theirs in zip(found["curve"], wanted["curve"], strict=True):
        assert ours["tokens"] == theirs["tokens"]
        assert ours["train_loss"] == pytest.approx(theirs["train_loss"], rel=1e-4)
        assert ours["validation_loss"] == pytest.approx(theirs["validation_loss"], rel=1e-3)
    assert "validation_loss" not in other["curve"][0]
    assert {path.name for path in (tmp_path / "run").iterdir()} == {path.name for path in (folder / "run").iterdir()}


def test_ranks_and_steps_drop_different_coordinates_of_the_same_row(train, tmp_path):
    told = train(tmp_path, ranks=2, dropout=0.5, alike=2)
    assert all(isinstance(rank, dict) for rank in told), told
    masks = [mask for rank in told for mask in rank["kept"]]  # of source and target, in two steps, on two ranks
    assert len(masks) == 8 and all(0.3 < sum(mask) / len(mask) < 0.7 for mask in masks)
    for side in (0, 1):
        assert len({tuple(mask) for mask in masks[side::2]}) == 4


def test_a_run_with_dropout_repeats_itself(train, tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        train(tmp_path / name, ranks=2, dropout=0.5, settings={"tokens": 200})
    first, second = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.equal(first[name], second[name]) for name in first)


# Stopped, and taken up by another number of processes.


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2), (2, 3)])
def test_another_number_of_processes_goes_on_to_the_same_weights(train, straight, tmp_path, before, after):
    stopped = train(tmp_path, ranks=before, interrupt=[before - 1, 8])
    assert {told["step"] for told in stopped} == {9} and not any(told["finished"] for told in stopped)
    ended = train(tmp_path, ranks=after, resume=True)
    assert ended[0]["finished"] and ended[0]["step"] == straight[1]["step"]
    assert_close(weights(tmp_path), weights(straight[0]))
    assert [r["tokens"] for r in ended[0]["curve"]] == [r["tokens"] for r in straight[1]["curve"]]


@pytest.mark.parametrize("dies", [1, 0])
def test_a_process_that_dies_stops_the_others_and_the_checkpoint_stays(train, straight, tmp_path, dies):
    ended = train(tmp_path, ranks=2, die=[dies, 10])
    assert ended[dies][0] == -9
    code, said = ended[1 - dies]
    assert code == 2, said
    checkpoint = tmp_path / "run" / "checkpoint.safetensors"
    assert f"process {1 - dies} of 2 (counted from 0) has lost touch with the others" in said
    assert f"The last good checkpoint is {checkpoint}: go on with --resume." in said
    (told,) = train(tmp_path, resume=True)
    assert told["finished"] and told["step"] == straight[1]["step"]
    assert_close(weights(tmp_path), weights(straight[0]))


# Which errors are those of another process.


@pytest.mark.parametrize(
    "error",
    [RuntimeError("[gloo/transport/tcp/pair.cc:525] Connection closed by peer [127.0.0.1]:2"),
     RuntimeError("NCCL communicator was aborted on rank 1")],
)  # fmt: skip
def test_a_lost_connection_is_told_in_plain_words(tmp_path, error):
    with (
        pytest.raises(TrainingError, match=r"one of them has stopped.*No checkpoint was kept"),
        lost_touch(Team(1, 2, "cpu"), tmp_path / "none"),
    ):
        raise error


@pytest.mark.parametrize("error", [RuntimeError("mat1 and mat2 shapes cannot be multiplied"), TrainingError("NaN")])
def test_other_errors_stay_what_they_are(error):
    with pytest.raises(type(error), match=str(error)), lost_touch(Team(0, 2, "cpu")):
        raise error


# By torchrun, from a corpus to a translator's folder.


@pytest.mark.slow
def test_torchrun_trains_a_translator_and_says_that_two_processes_did(tmp_path):
    shared = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}"}
    command = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--nproc_per_node=2"]
    command += [f"--master_port={free_port()}", str(TESTS / "distributed_train.py"), str(tmp_path / "run")]
    done = subprocess.run(command, env=shared, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / "run" / "translator" / "results.json").read_text(encoding="utf-8"))
    assert found["processes"] == 2
    assert found["command"].startswith("torchrun --nproc_per_node=2 -m attention_book train en-es --preset tiny")
    assert found["curve"][-1]["validation_loss"] < found["curve"][0]["validation_loss"] - 0.5
    assert found["tokens"] >= 2000 and found["averaging"]["snapshots"] == 5
    assert not list((tmp_path / "run").rglob("*.lock"))
