"""The folder of a translator: every flipped bit refused, old ones read, and nothing of a stranger's believed."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading

import pytest
import torch
from hostile_folders import as_before_digests, small_folder, weights
from tiny_translator import KNOWN, tiny_translator

from attention_book.models.checkpoints import CheckpointError, UnverifiedWarning, load_tensors, save_tensors
from attention_book.paths import PRETRAINED
from attention_book.translation.model_folder import load_model, save_model, save_results
from attention_book.translation.translator import Translator

FILES = ("model.safetensors", "config.json", "tokenizer.json", "results.json")
COMMAND = [sys.executable, "-m", "attention_book", "translate", "I like cats.", "--beam-size", "1", "--model"]


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture(scope="module", params=[False, True], ids=["Transformer", "recurrent"])
def good(request, tmp_path_factory):
    return small_folder(tmp_path_factory.mktemp("good"), recurrent=request.param)


@pytest.fixture
def folder(good, tmp_path):
    return shutil.copytree(good, tmp_path / "folder")


def parameters(folder):
    return dict(load_model(folder)[0].named_parameters())


def test_what_was_saved_comes_back(folder, tmp_path):
    model, subwords, results = load_model(folder)
    assert results == {"corpus": "two sentences", "scores": [1.5, 2.25]}
    assert not model.training
    save_model(tmp_path / "again", model, subwords, results)
    for name in FILES:
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()
    found = parameters(folder)
    assert found.keys() == weights(folder).keys()
    for name, tensor in weights(folder).items():
        assert torch.equal(found[name], tensor.float())
        assert found[name].requires_grad
    assert not any(one.is_meta for one in (*model.parameters(), *model.buffers()))


def flip(content, place):
    """A copy with one bit flipped."""
    damaged = bytearray(content)
    damaged[place // 8] ^= 1 << place % 8
    return damaged


@pytest.mark.slow
@pytest.mark.parametrize("good", [True], indirect=True, ids=["recurrent"])
@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_refused_by_the_name_of_its_file(folder, name):
    """All bits of the configuration and of the record, and many of the other two."""
    path = folder / name
    content = path.read_bytes()
    places = range(8 * len(content))
    if len(places) > 4000:
        header = 8 * int.from_bytes(content[:8], "little") if name == "model.safetensors" else len(places)
        chosen = random.Random(0)
        places = [*range(64), *chosen.sample(range(header), 500), *chosen.sample(places, 500)]
    for place in places:
        path.write_bytes(flip(content, place))
        try:
            load_model(folder)
        except ValueError as error:
            assert str(path) in str(error) and "damaged" in str(error), f"bit {place}: {error}"
            assert "\n" not in str(error)
        else:
            raise AssertionError(f"bit {place} of {name} may be flipped")
    path.write_bytes(content)
    load_model(folder)


@pytest.mark.slow
@pytest.mark.parametrize("good", [True], indirect=True, ids=["recurrent"])
def test_every_flipped_bit_of_the_header_is_refused(folder):
    path = folder / "model.safetensors"
    content = path.read_bytes()
    for place in range(8 * (8 + int.from_bytes(content[:8], "little"))):
        path.write_bytes(flip(content, place))
        try:
            load_tensors(path)
        except CheckpointError as error:
            assert str(error).startswith(f"{path} is damaged: "), f"bit {place}: {error}"
        else:
            raise AssertionError(f"bit {place} of the header may be flipped")


@pytest.mark.parametrize("name", FILES)
def test_no_file_may_be_cut_or_come_from_another_folder(folder, tmp_path, name):
    content = (folder / name).read_bytes()
    for length in (0, 1, 7, len(content) // 2, len(content) - 1):
        (folder / name).write_bytes(content[:length])
        with pytest.raises(ValueError, match="damaged"):
            load_model(folder)
    (folder / name).write_bytes(content)
    model, subwords, results = load_model(folder)
    with torch.no_grad():
        next(model.parameters()).add_(1)
    other = tmp_path / "other"
    save_model(other, model, subwords, results)
    if name in ("model.safetensors", "results.json"):  # the others are the same
        shutil.copy(other / name, folder / name)
        with pytest.raises(ValueError, match=r"results\.json is damaged, or was not saved with the model\.safetensors"):
            load_model(folder)


def test_tensors_that_exchange_their_names_are_refused(folder):
    tensors, record = load_tensors(folder / "model.safetensors")
    shapes = [tensor.shape for tensor in tensors.values()]
    names = [name for name in tensors if shapes.count(tensors[name].shape) > 1]
    names = [name for name in names if tensors[name].shape == tensors[names[0]].shape][:2]
    content = (folder / "model.safetensors").read_bytes()
    swapped = content.replace(names[0].encode(), b"*").replace(names[1].encode(), names[0].encode())
    (folder / "model.safetensors").write_bytes(swapped.replace(b"*", names[1].encode()))
    with pytest.raises(ValueError, match=r"model\.safetensors is damaged"):
        load_model(folder)
    assert record["files"].keys() == {"config.json", "tokenizer.json"}


class TestOldFolders:
    def test_they_load_with_a_warning_and_a_saved_copy_without(self, folder, tmp_path, recwarn):
        wanted = parameters(folder)
        as_before_digests(folder)
        with pytest.warns(UnverifiedWarning, match=r"model\.safetensors is from before files carried a digest"):
            model, subwords, results = load_model(folder)
        assert results == {"corpus": "two sentences", "scores": [1.5, 2.25]}
        for name, parameter in model.named_parameters():
            assert torch.equal(parameter, wanted[name])
        save_model(tmp_path / "new", model, subwords, results)
        recwarn.clear()
        load_model(tmp_path / "new")
        assert not recwarn.list

    def test_one_without_a_record_or_from_before_positions_loads(self, folder):
        config = json.loads((folder / "config.json").read_text())
        config.pop("positions", None)
        (folder / "config.json").write_text(json.dumps(config))
        as_before_digests(folder)
        (folder / "results.json").unlink()
        with pytest.warns(UnverifiedWarning):
            assert load_model(folder)[2] == {}

    @pytest.mark.slow
    def test_the_command_line_warns_in_one_line(self, folder):
        as_before_digests(folder)
        found = subprocess.run([*COMMAND, folder], env=environment(), capture_output=True, text=True, timeout=120)
        assert found.returncode == 0, found.stderr
        warned = [line for line in found.stderr.splitlines() if "digest" in line]
        assert len(warned) == 1 and warned[0].startswith(f"warning: {folder}")
        assert all(line.startswith("warning: ") for line in found.stderr.splitlines())

    def test_new_weights_beside_a_record_without_a_seal_are_refused(self, folder):
        (folder / "results.json").write_text('{"corpus": "two sentences"}\n')
        with pytest.raises(ValueError, match=r"results\.json is damaged, or was not saved"):
            load_model(folder)


class TestRecord:
    def test_another_record_is_sealed_with_the_weights_that_are_there(self, folder):
        before = (folder / "model.safetensors").read_bytes()
        save_results(folder, {"seal": "none of this", "new": "¿niño?"})
        assert load_model(folder)[2] == {"new": "¿niño?"}
        assert (folder / "model.safetensors").read_bytes() == before

    def test_a_record_that_is_there_stays_with_new_weights(self, folder):
        model, subwords, results = load_model(folder)
        with torch.no_grad():
            next(model.parameters()).add_(1)
        save_model(folder, model, subwords)
        assert load_model(folder)[2] == results

    def test_a_damaged_one_is_not_sealed_as_if_it_were_good(self, folder):
        model, subwords, _ = load_model(folder)
        path = folder / "results.json"
        path.write_bytes(path.read_bytes().replace(b"2.25", b"2.75"))
        with pytest.raises(ValueError, match=r"results\.json is damaged"):
            save_model(folder, model, subwords)


@pytest.mark.slow
def test_tied_weights_stay_one_and_positions_are_right(tmp_path):
    for number, changes in enumerate(
        ({}, {"tie_embeddings": False}, {"positions": "learned"}, {"positions": "rotary"})
    ):
        kept = tiny_translator(**changes)
        kept.save(tmp_path / str(number))
        loaded = Translator.from_pretrained(tmp_path / str(number))
        tied = kept.model.config.tie_embeddings
        assert (loaded.model.output.weight is loaded.model.src_embedding.weight) == tied
        assert (loaded.model.tgt_embedding.weight is loaded.model.src_embedding.weight) == tied
        if kept.model.config.positions == "sinusoidal":
            assert torch.equal(loaded.model.positions, kept.model.positions)
            assert "positions" not in loaded.model.state_dict()
        assert [n for n, _ in loaded.model.named_parameters()] == [n for n, _ in kept.model.named_parameters()]
        assert loaded.translate(list(KNOWN)) == kept.translate(list(KNOWN))


def test_loading_moves_nobodys_random_state_in_any_number_of_threads(good):
    torch.manual_seed(5)
    wanted = torch.randn(4000)
    torch.manual_seed(5)
    found, failed = [], []

    def load():
        try:
            for _ in range(6):
                load_model(good)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=load) for _ in range(6)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) and len(found) < 4000:
        found.append(torch.randn(1))
    for thread in threads:
        thread.join()
    found += [torch.randn(1) for _ in range(4000 - len(found))]
    torch.manual_seed(5)
    assert torch.equal(torch.cat(found), torch.cat([torch.randn(1) for _ in range(4000)]))
    assert not failed and len(wanted) == 4000
    assert torch.ones(1).device.type == "cpu"


@pytest.mark.slow
def test_strangers_are_answered_in_one_line_within_bounds():
    """A hundred and fifty hostile folders and as many mutated ones, in one process whose memory is limited."""
    program = [sys.executable, "-c", "import hostile_folders; hostile_folders.main()", "200"]
    run = subprocess.run(program, env=environment(), capture_output=True, text=True, timeout=400)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, f"{run.stderr[-2000:]}\nafter {answers[-1:]}"
    assert "panicked" not in run.stderr
    loaded = 0
    for answer in answers:
        name, told = answer["name"], [line for line in answer["error"].splitlines() if not line.startswith("warning: ")]
        assert not answer["traceback"], f"{name}: {answer['traceback']}"
        assert answer["seconds"] < 15, name
        if answer["code"] == 0 and (name == "good" or "mutated" in answer):
            loaded += 1
            continue
        assert answer["code"] == 2 and len(told) == 1, f"{name}: exit code {answer['code']}, {answer['error']}"
        assert told[0].startswith("error: ") and len(told[0]) < 800, name
        assert name.split(":")[0] in told[0], f"{name}: {told[0]}"
        if "mutated" not in answer:
            assert told[0].endswith(
                ("good copy of the folder", "make it again", "put the file itself there", "saved whole")
            )
    assert len(answers) > 330 and 2 <= loaded < 60


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("results.json", os.mkfifo),
        ("config.json", lambda path: path.symlink_to("/dev/zero")),
        ("config.json", lambda path: path.write_text('{"n_layers": 100000, "vocab_size": 270}')),
        ("tokenizer.json", lambda path: path.write_text('{"model": {"continuing_subword_prefix": "##"}}')),
    ],
)
def test_the_real_command_line_says_so_too(good, tmp_path, name, make):
    folder = shutil.copytree(good, tmp_path / "stranger")
    (folder / name).unlink()
    make(folder / name)
    found = subprocess.run([*COMMAND, folder], env=environment(), capture_output=True, text=True, timeout=120)
    assert found.returncode == 2 and found.stdout == ""
    assert found.stderr.startswith(f"error: {folder / name} ") and found.stderr.count("\n") == 1


def test_weights_that_are_not_numbers_of_a_translator_are_refused(folder):
    """Even with all digests right."""
    tensors, record = load_tensors(folder / "model.safetensors")
    for change, message in (
        ({name: t.double() for name, t in tensors.items()}, "does not hold the weights"),
        ({name: t * float("nan") for name, t in tensors.items()}, "not finite"),
        ({name: t[None] for name, t in tensors.items()}, "does not hold the weights"),
    ):
        save_tensors(folder / "model.safetensors", change, record)
        save_results(folder, {"corpus": "none"})
        with pytest.raises(ValueError, match=message):
            load_model(folder)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("en-es", "efb1b83ac145446e46d71eab94deccd43cd72464ef5c217219b2249b04acdc3e"),
        ("en-es-taught", "2aa9852658ecda2fdfa38e05397a9a645c1f3948a6fc9b1db864e355f6fd8f7e"),
        ("en-es-rnn-attention", "a06b8c18aa1082e389b1497e5946e2b0c12a9b62201086fd73a0924f9d82bf8b"),
    ],
)
def test_the_shipped_ones_carry_digests_and_have_the_numbers_that_they_were_trained_to(name, numbers, recwarn):
    """The second digest was taken, by sha256sum of what follows the header, before files carried one."""
    model, _, results = load_model(PRETRAINED / name)
    assert not [one for one in recwarn.list if one.category is UnverifiedWarning]
    assert sum(p.numel() for p in model.parameters()) == results["parameters"]
    content = (PRETRAINED / name / "model.safetensors").read_bytes()
    assert hashlib.sha256(content[8 + int.from_bytes(content[:8], "little") :]).hexdigest() == numbers
