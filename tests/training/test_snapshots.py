"""What a run keeps for averaging is what its checkpoint names: written first, verified, and nothing else."""

import json
import shutil
from functools import partial

import pytest
import torch
from crashing_run import contents, differing, small_run, train, train_until_stopped
from safetensors.torch import save_file

from attention_book.data.subwords import Subwords
from attention_book.models import checkpoints
from attention_book.models.checkpoints import CheckpointError, read_digest, read_record, save_tensors
from attention_book.training import runs, snapshots
from attention_book.training.trainer import Trainer, TrainingError

CHECKPOINT = "checkpoint.safetensors"


@pytest.fixture(autouse=True)
def small():
    """The small run, whose translator is the mean of its last three snapshots."""
    with small_run():
        yield


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run that nothing disturbed."""
    with small_run():
        return train(tmp_path_factory.mktemp("run") / "run").parent


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of that folder, without its translator."""
    shutil.copytree(finished, tmp_path / "run", ignore=shutil.ignore_patterns("translator"))
    return tmp_path / "run"


def named(folder):
    return read_record(folder / CHECKPOINT)["progress"]["snapshots"]


def kept(folder):
    return {path.name: read_digest(path) for path in folder.glob("weights-*")}


def test_the_checkpoint_names_the_snapshots_that_are_there(finished):
    assert named(finished) == kept(finished)
    assert list(named(finished)) == sorted(kept(finished))
    assert len(kept(finished)) == 3
    record = json.loads((finished / "translator" / "results.json").read_text(encoding="utf-8"))
    assert record["averaging"]["used"]
    assert record["averaging"]["snapshots"] == 3


def test_the_checkpoint_holds_all_the_progress_that_a_trainer_keeps(finished, tmp_path):
    trainer = Trainer(torch.nn.Linear(2, 2), [], snapshots.TrainingSettings(tokens=1), folder=tmp_path)
    trainer.save()
    assert {*read_record(trainer.checkpoint)["progress"], "snapshots"} == {
        *read_record(finished / CHECKPOINT)["progress"]
    }


def test_a_snapshot_is_there_before_the_checkpoint_that_names_it(tmp_path, monkeypatch):
    made, seen = checkpoints.write_atomically, []

    def noting(path, write):
        made(path, write)
        seen.append(path.name)
        if path.name == CHECKPOINT:
            assert named(path.parent).items() <= kept(path.parent).items()

    monkeypatch.setattr(checkpoints, "write_atomically", noting)
    train(tmp_path / "run")
    assert [name.split("-")[0] for name in seen[: 2 * 4]] == ["weights", CHECKPOINT] * 4


def test_ctrl_c_between_validations_takes_no_snapshot_and_keeps_those_named(finished, tmp_path):
    train_until_stopped(tmp_path / "run")
    assert len(named(tmp_path / "run")) == 1
    assert named(tmp_path / "run") == kept(tmp_path / "run")
    train(tmp_path / "run")
    assert not differing(tmp_path / "run", contents(finished))


def test_a_run_that_died_before_its_translator_was_written_is_finished(finished, folder):
    assert train(folder) == folder / "translator"
    assert not differing(folder, contents(finished))


@pytest.mark.parametrize("which", [0, 2])
def test_a_missing_snapshot_is_told_and_nothing_done(folder, which):
    lost = folder / list(named(folder))[which]
    lost.unlink()
    before = contents(folder)
    with pytest.raises(TrainingError, match=rf"{lost.name} is missing.*put it back from a copy, or remove"):
        train(folder)
    assert contents(folder) == before


def test_a_damaged_snapshot_is_refused(folder):
    path = folder / list(named(folder))[1]
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"{path.name} is damaged"):
        train(folder)


def test_a_whole_snapshot_of_another_run_is_refused(folder):
    path = folder / list(named(folder))[1]
    tensors, record = checkpoints.load_tensors(path)
    save_tensors(path, {name: tensor + 1 for name, tensor in tensors.items()}, record)
    told = "nothing"
    try:
        train(folder)
    except CheckpointError as error:
        told = str(error)
    assert f"{path.name} is not the snapshot that {folder / CHECKPOINT} names" in told


@pytest.mark.parametrize("resume", [False, True])
def test_snapshots_that_no_checkpoint_names_are_never_averaged(finished, folder, resume):
    """Those of a run whose checkpoint was deleted, and one from just before a crash. All would sort last."""
    some = next(folder.glob("weights-*"))
    for tokens in (1, 999_999):
        shutil.copy(some, folder / f"weights-{tokens:012d}.safetensors")
    shutil.copy(some, folder / "weights-of-mine.safetensors")
    if not resume:
        (folder / CHECKPOINT).unlink()
    train(folder)
    assert differing(folder, contents(finished)) == ["weights-of-mine.safetensors"]


def learnt_from(texts, path):
    Subwords.train(texts, runs.VOCABULARY).save(path)


@pytest.mark.parametrize(
    "leave",
    [
        partial(learnt_from, ["other words of another run", "which come in another order"]),
        lambda path: path.write_text("half of a vocabul"),
    ],
    ids=["whole", "half"],
)
def test_training_again_learns_the_vocabulary_again(finished, folder, leave):
    (folder / CHECKPOINT).unlink()
    leave(folder / "tokenizer.json")
    train(folder)
    assert not differing(folder, contents(finished))


def as_before_names(folder, remove=0):
    """Make a checkpoint as it was when it named no snapshots, and remove the newest snapshots."""
    tensors, record = checkpoints.load_tensors(folder / CHECKPOINT)
    newest_first = reversed(record["progress"].pop("snapshots"))
    save_tensors(folder / CHECKPOINT, tensors, record)
    for name, _ in zip(newest_first, range(remove), strict=False):
        (folder / name).unlink()


def test_a_checkpoint_from_before_names_takes_the_snapshots_of_its_validations_and_says_so(finished, folder):
    as_before_names(folder)
    shutil.copy(next(folder.glob("weights-*")), folder / "weights-000000999999.safetensors")
    with pytest.warns(UserWarning, match="did not note its snapshots: the 3 of the last 3 validations"):
        train(folder)
    wanted = contents(finished)
    assert differing(folder, wanted) == [CHECKPOINT]  # which is not written again
    assert "weights-000000999999.safetensors" not in contents(folder)


@pytest.mark.parametrize("lost", [1, 3])
def test_a_checkpoint_from_before_names_goes_on_with_fewer_snapshots_and_says_how_many(folder, lost):
    as_before_names(folder, lost)
    with pytest.warns(UserWarning, match=rf"the {3 - lost} of the last 3 validations"):
        output = train(folder)
    record = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert record["averaging"]["snapshots"] == 3 - lost
    assert record["averaging"]["used"] is (lost == 1)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_run_from_before_digests_is_taken_up_with_its_snapshots(finished, folder):
    """Every file as it was written then: by safetensors alone, the checkpoint's record in an entry of that name."""
    tensors, record = checkpoints.load_tensors(folder / CHECKPOINT)
    paths = [folder / name for name in record["progress"].pop("snapshots")]
    save_file(tensors, folder / CHECKPOINT, metadata={"record": json.dumps(record)})
    for path in paths:
        save_file(checkpoints.load_tensors(path)[0], path)
    with pytest.warns(checkpoints.UnverifiedWarning, match=rf"{paths[0].name} is from before files carried a digest"):
        output = train(folder)
    found, wanted = contents(output), contents(finished / "translator")
    assert found == wanted
    with pytest.warns(UserWarning, match="from before files carried a digest"):
        train(folder, tokens=900)
    assert named(folder)[paths[-1].name] is None
    assert list(named(folder).values()).count(None) < 3
