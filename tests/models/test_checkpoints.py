"""Checkpoints: whole or not there, nothing lost in them, and refused when damaged."""

import errno
import json

import pytest
import torch
from oracles import seeded
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from attention_book.models.checkpoints import (
    CheckpointError,
    UnverifiedWarning,
    load_checkpoint,
    load_tensors,
    read_digest,
    read_header,
    read_record,
    save_checkpoint,
    save_tensors,
    sweep,
    write_atomically,
    write_json,
)
from attention_book.models.transformer import Transformer, TransformerConfig

RECORD = {"step": 3, "name": "¿niño?", "loss": 0.1 + 0.2}


def model_and_optimizer(seed=0, **changes):
    model = seeded(lambda: Transformer(TransformerConfig.tiny(20, d_model=16, d_ff=16, **changes)), seed)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)


def step(model, optimizer):
    """One update, with dropout drawn from the global random state."""
    model.train()
    tokens = torch.arange(12).reshape(2, 6) % 20
    loss = model(tokens, tokens).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@pytest.fixture
def saved(tmp_path):
    """A checkpoint after three steps: its path, and the three losses that would have followed."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model, optimizer = model_and_optimizer()
        for _ in range(3):
            step(model, optimizer)
        save_checkpoint(tmp_path / "c.safetensors", model, optimizer, RECORD)
        yield tmp_path / "c.safetensors", [step(model, optimizer) for _ in range(3)]


def test_training_goes_on_from_a_checkpoint_as_if_nothing_had_happened(saved):
    path, wanted = saved
    model, optimizer = model_and_optimizer(seed=9)
    torch.manual_seed(2)
    assert load_checkpoint(path, model, optimizer) == RECORD == read_record(path)
    assert [step(model, optimizer) for _ in range(3)] == wanted


def test_tied_weights_are_saved_once_and_stay_tied(saved):
    path, _ = saved
    with safe_open(path, framework="pt") as file:
        names = set(file.keys())
    assert "model.src_embedding.weight" in names
    assert not names & {"model.tgt_embedding.weight", "model.output.weight"}
    model, optimizer = model_and_optimizer(seed=9)
    load_checkpoint(path, model, optimizer)
    assert model.output.weight is model.tgt_embedding.weight
    assert model.output.weight is model.src_embedding.weight
    assert model.output.weight in set(optimizer.param_groups[0]["params"])


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"not a checkpoint",
        lambda content: content[:7],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content.replace(b'"__metadata__"', b'"__metadeta__"', 1),
    ],
    ids=["empty", "text", "seven bytes", "half", "one byte short", "one byte long", "header"],
)
def test_a_damaged_checkpoint_is_refused_and_the_model_left_alone(saved, damage):
    path, _ = saved
    path.write_bytes(damage(path.read_bytes()))
    model, optimizer = model_and_optimizer(seed=9)
    before = [parameter.clone() for parameter in model.parameters()]
    for read in (lambda: load_checkpoint(path, model, optimizer), lambda: read_record(path), lambda: load_tensors(path)):
        with pytest.raises(CheckpointError, match=r"c\.safetensors is damaged: "):
            read()
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_files_that_are_no_checkpoints_are_refused(tmp_path):
    model, optimizer = model_and_optimizer()
    with pytest.raises(CheckpointError, match="nowhere"):
        load_checkpoint(tmp_path / "nowhere", model, optimizer)
    foreign = tmp_path / "foreign.safetensors"
    save_file({"w": torch.ones(2)}, foreign, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="foreign"):
        load_checkpoint(foreign, model, optimizer)
    save_file({"w": torch.ones(2)}, foreign, metadata={"record": json.dumps(RECORD)})
    with pytest.raises(CheckpointError, match="no random state"):
        load_checkpoint(foreign, model, optimizer)


def test_a_checkpoint_without_its_random_state_is_refused_before_anything_moves(saved, tmp_path):
    path, _ = saved
    with safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys() if name != "random.cpu"}  # noqa: SIM118
    save_file(tensors, path, metadata={"record": json.dumps(RECORD)})
    model, optimizer = model_and_optimizer(seed=9)
    before = model.src_embedding.weight.clone()
    with pytest.raises(CheckpointError, match="random"):
        load_checkpoint(path, model, optimizer)
    assert torch.equal(model.src_embedding.weight, before)


def test_a_checkpoint_of_another_shape_is_refused(saved):
    path, _ = saved
    model, optimizer = model_and_optimizer(n_layers=1)
    with pytest.raises(CheckpointError, match="written for a model of another shape"):
        load_checkpoint(path, model, optimizer)


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "Free some space"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "Free some space"),
        (OSError(errno.EROFS, "Read-only file system"), "The disk can only be read"),
        (OSError(errno.EACCES, "Permission denied"), "You may not write there"),
        (OSError(errno.ENOTDIR, "Not a directory"), "Something else has a name that is needed"),
        (OSError(errno.ENAMETOOLONG, "File name too long"), "Choose a shorter name"),
        (OSError(errno.EIO, "Input/output error"), "Look whether the disk is in order"),
        (SafetensorError("I/O error"), "Look whether the disk is in order"),
    ],
)
def test_a_failed_write_keeps_what_was_there_leaves_nothing_else_and_says_what_to_do(tmp_path, error, advice):
    path = tmp_path / "very" / "deep" / "file"

    def fail(temporary):
        temporary.write_bytes(b"half of i")
        raise error

    with pytest.raises(CheckpointError, match=r"could not write .*file: .*; nothing was left behind"):
        write_atomically(path, fail)
    assert list(path.parent.iterdir()) == []
    write_atomically(path, lambda temporary: temporary.write_bytes(b"good"))
    with pytest.raises(CheckpointError, match=rf"the earlier .*file is kept\. {advice}"):
        write_atomically(path, fail)
    assert [(p.name, p.read_bytes()) for p in path.parent.iterdir()] == [("file", b"good")]


def test_an_interrupted_write_keeps_what_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"good")

    def interrupted(temporary):
        temporary.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, interrupted)
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("file", b"good")]


def test_a_folder_that_cannot_be_made_is_an_error_that_names_the_file(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CheckpointError, match=r"could not write .*weights"):
        write_atomically(tmp_path / "file" / "weights", lambda temporary: temporary.write_bytes(b""))


def test_json_is_readable_by_people_and_never_holds_nan(tmp_path):
    path = tmp_path / "r.json"
    write_json(path, RECORD)
    text = path.read_text(encoding="utf-8")
    assert json.loads(text) == RECORD
    assert '"¿niño?"' in text
    assert text.endswith("}\n")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"loss": float("nan")})
    assert path.read_text(encoding="utf-8") == text


def test_other_errors_are_not_dressed_up_as_full_disks(tmp_path):
    def wrong(temporary):
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        write_atomically(tmp_path / "file", wrong)


def test_modules_without_dropout_or_ties_work_as_well(tmp_path):
    model = seeded(lambda: nn.Linear(2, 3))
    optimizer = torch.optim.AdamW(model.parameters())
    save_checkpoint(tmp_path / "c", model, optimizer, {})
    other = seeded(lambda: nn.Linear(2, 3), 1)
    assert load_checkpoint(tmp_path / "c", other, torch.optim.AdamW(other.parameters())) == {}
    assert torch.equal(other.weight, model.weight)
