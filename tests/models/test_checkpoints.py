"""Checkpoints: whole or not there, nothing lost in them, and refused when damaged."""

import errno
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracles import normal, seeded
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
    for read in (
        lambda: load_checkpoint(path, model, optimizer),
        lambda: read_record(path),
        lambda: load_tensors(path),
    ):
        with pytest.raises(CheckpointError, match=r"c\.safetensors is damaged: "):
            read()
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


@pytest.mark.filterwarnings("ignore::attention_book.models.checkpoints.UnverifiedWarning")
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


@pytest.mark.filterwarnings("ignore::attention_book.models.checkpoints.UnverifiedWarning")
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


def small_checkpoint(folder):
    """A checkpoint of some seven thousand bytes, nearly all of them torch's random state."""
    model = seeded(lambda: nn.Linear(2, 3))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    path = folder / "c.safetensors"
    save_checkpoint(path, model, optimizer, RECORD)
    return path, model, optimizer


def flipped(path, places):
    """Flip the bits of a file one at a time, and give each place while its bit is flipped."""
    content = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        for place in places:
            for byte in (content[place // 8] ^ 1 << place % 8, content[place // 8]):
                file.seek(place // 8)
                file.write(bytes([byte]))
                if byte != content[place // 8]:
                    yield place
    assert path.read_bytes() == content


def header_bits(path):
    return range(8 * (8 + int.from_bytes(path.read_bytes()[:8], "little")))


def test_every_flipped_bit_of_a_checkpoint_is_refused(tmp_path):
    path, model, optimizer = small_checkpoint(tmp_path)
    before, state = [parameter.clone() for parameter in model.parameters()], torch.get_rng_state()
    data = range(header_bits(path).stop, 8 * path.stat().st_size)
    places = [*header_bits(path), *random.Random(0).sample(data, 2000)]
    readers = (load_tensors, read_record, lambda path: load_checkpoint(path, model, optimizer))
    for tried, place in enumerate(flipped(path, places)):
        try:
            readers[tried % 3](path)
        except CheckpointError as error:
            assert str(error).startswith(f"{path} is damaged: "), place
            assert "\n" not in str(error)
        else:
            raise AssertionError(f"bit {place} may be flipped")
    assert tried + 1 == len(places) > 8000
    assert all(map(torch.equal, before, model.parameters()))
    assert torch.equal(torch.get_rng_state(), state)
    assert load_checkpoint(path, model, optimizer) == RECORD


def test_no_length_but_its_own_is_accepted(tmp_path):
    path, _, _ = small_checkpoint(tmp_path)
    content = path.read_bytes()
    for length in [*range(0, len(content), 37), len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(CheckpointError, match="is damaged: "):
            load_tensors(path)
    for more in (b"\0", b" " * 8, content):
        path.write_bytes(content + more)
        with pytest.raises(CheckpointError, match="is damaged: "):
            load_tensors(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"first"', b'"third"'),
        (b"[2,3]", b"[3,2]"),
        (b"[2,3]", b"[6,1]"),
        (b'"F32"', b'"I32"'),
        (b"[0,24]", b"[24,48]"),
        (b"step", b"stop"),
        (b"attention_book", b"attention-book"),
        (b"sha256", b"sha512"),
    ],
)
def test_names_shapes_types_places_and_the_record_are_vouched_for(tmp_path, old, new):
    path = tmp_path / "t"
    save_tensors(path, {"first": torch.ones(2, 3), "second": torch.zeros(2, 3)}, RECORD)
    content = path.read_bytes()
    assert content.count(old) > 0
    swapped = content.replace(old, b"*", 1)
    if new == b"[24,48]":  # the two tensors exchange their data
        swapped = swapped.replace(new, old)
    path.write_bytes(swapped.replace(b"*", new))
    with pytest.raises(CheckpointError, match="t is damaged: "):
        load_tensors(path)


@given(
    st.dictionaries(
        st.text(max_size=5).filter(lambda name: name != "__metadata__"),
        st.tuples(
            st.lists(st.integers(0, 3), max_size=3),
            st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.uint8]),
        ),
        max_size=4,
    ),
    st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text(), max_size=3),
)
def test_tensors_and_record_come_back_and_the_same_ones_give_the_same_bytes(shapes, record):
    tensors = {name: normal(*shape, 1).squeeze(-1).mul(50).abs().to(dtype) for name, (shape, dtype) in shapes.items()}
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "t", Path(folder) / "again"
        digest = save_tensors(path, tensors, record)
        found, read = load_tensors(path)
        assert read == record
        assert found.keys() == tensors.keys()
        for name, tensor in tensors.items():
            assert found[name].dtype == tensor.dtype
            assert torch.equal(found[name], tensor)
        assert digest == read_digest(path) == save_tensors(again, dict(reversed(tensors.items())), record)
        assert path.read_bytes() == again.read_bytes()
        assert digest == hashlib.sha256(path.read_bytes().replace(digest.encode(), b"0" * 64, 1)).hexdigest()
        assert read_header(path)[0].keys() == tensors.keys()


@pytest.mark.slow
def test_the_same_tensors_give_the_same_bytes_in_every_process(tmp_path):
    code = (
        "import sys, torch; from pathlib import Path; from attention_book.models.checkpoints import save_tensors\n"
        "tensors = {'b': torch.arange(3.0), 'a': torch.ones(2).half()}\n"
        "print(save_tensors(Path(sys.argv[1]), tensors, {'name': '¿niño?', 'x': 0.1}))"
    )
    found = set()
    for seed in ("1", "2", "3"):
        path = tmp_path / seed
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code, path], env=environment, check=True, capture_output=True)
        found.add(path.read_bytes())
    assert len(found) == 1


def test_what_was_written_before_digests_is_read_with_a_warning(tmp_path):
    path, model, optimizer = small_checkpoint(tmp_path)
    tensors, _ = load_tensors(path)
    wanted = [parameter.clone() for parameter in model.parameters()]
    save_file(tensors, path, metadata={"record": json.dumps(RECORD)})
    with torch.no_grad():
        model.weight.zero_()
    with pytest.warns(UnverifiedWarning, match=r"c\.safetensors is from before files carried a digest"):
        assert load_checkpoint(path, model, optimizer) == RECORD
    assert all(map(torch.equal, wanted, model.parameters()))
    assert read_digest(path) is None
    save_file({"weight": torch.ones(2)}, path)  # as snapshots were
    with pytest.warns(UnverifiedWarning):
        found, record = load_tensors(path)
    assert torch.equal(found["weight"], torch.ones(2)) and record == {}


@pytest.mark.filterwarnings("ignore::attention_book.models.checkpoints.UnverifiedWarning")
def test_an_old_checkpoint_with_a_flipped_name_or_record_is_refused(tmp_path):
    path, model, optimizer = small_checkpoint(tmp_path)
    tensors, _ = load_tensors(path)
    save_file(tensors, path, metadata={"record": json.dumps(RECORD)})
    refused = 0
    for _ in flipped(path, header_bits(path)):
        try:
            load_checkpoint(path, model, optimizer)
        except CheckpointError:
            refused += 1
    assert refused > 0.9 * len(header_bits(path))  # the rest are letters of the record


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_refused_and_not_opened(tmp_path, make):
    make(tmp_path / "c")
    for read in (load_tensors, read_header, read_digest, read_record):
        with pytest.raises(CheckpointError, match="c is no regular file"):
            read(tmp_path / "c")


def test_a_link_to_a_checkpoint_is_followed(tmp_path):
    path, _, _ = small_checkpoint(tmp_path)
    (tmp_path / "link").symlink_to(path)
    assert read_record(tmp_path / "link") == RECORD


class TestSweep:
    def left(self, folder):
        """Let a process start to write a file and die: the names of what it leaves."""
        code = (
            "import os, sys; from pathlib import Path; from attention_book.models.checkpoints import write_atomically\n"
            "write_atomically(Path(sys.argv[1]) / 'file', lambda path: (path.write_bytes(b'half'), os._exit(9)))"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        assert subprocess.run([sys.executable, "-c", code, folder], env=environment).returncode == 9
        return [path.name for path in folder.iterdir()]

    @pytest.mark.slow
    def test_what_a_dead_process_left_is_removed_and_nothing_else(self, tmp_path):
        (name,) = self.left(tmp_path)
        kept = ["file", ".hidden", "x.part", ".file.part", ".file.12x.part", "file.123.part", name.removesuffix("t")]
        for other in kept:
            (tmp_path / other).write_bytes(b"mine")
        (tmp_path / ".folder.999999.part").mkdir()
        assert [path.name for path in sweep(tmp_path)] == [name]
        assert {path.name for path in tmp_path.iterdir()} == {*kept, ".folder.999999.part"}
        assert sweep(tmp_path / "nowhere") == []

    @pytest.mark.slow
    def test_what_is_being_written_stays(self, tmp_path):
        def write(temporary):
            assert sweep(tmp_path) == []  # by this process
            code = "import sys; from pathlib import Path; from attention_book.models.checkpoints import sweep\n"
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            temporary.write_bytes(b"half")
            command = [sys.executable, "-c", code + "assert sweep(Path(sys.argv[1])) == []", tmp_path]
            assert subprocess.run(command, env=environment).returncode == 0  # by another

        write_atomically(tmp_path / "file", write)
        assert [path.name for path in tmp_path.iterdir()] == ["file"]

    def test_an_earlier_process_with_the_same_id_does_not_count_as_running(self, tmp_path):
        for name in (f".file.{os.getpid()}-00000000.part", f".file.{os.getpid()}.part"):
            (tmp_path / name).write_bytes(b"half")
        assert len(sweep(tmp_path)) == 2

    def test_a_vocabulary_half_written_is_removed_too(self, tmp_path):
        (tmp_path / ".tokenizer.json.999999-0123abcd.partab_12xyz.part").write_bytes(b"half")
        assert len(sweep(tmp_path)) == 1
