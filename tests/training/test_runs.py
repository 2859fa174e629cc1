"""A whole run, from a corpus to a translator's folder, on a made-up corpus of a hundred sentences."""

import json
import signal
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import jaxtyping
import pytest
import torch
from crashing_run import CORPUS
from oracles import seeded, unchecked
from safetensors.torch import load_file
from torch import nn

from attention_book.data import corpora
from attention_book.models.checkpoints import read_record
from attention_book.models.recurrent import RecurrentEncoderDecoder
from attention_book.training import runs
from attention_book.training.snapshots import TrainerWithSnapshots, average_if_better
from attention_book.training.trainer import TrainingError, TrainingSettings
from attention_book.translation.translator import Translator


@pytest.fixture(autouse=True)
def setting(monkeypatch):
    """The made-up corpus, a small vocabulary, no type checks (for speed), and global states left as they were."""
    monkeypatch.setattr(corpora, "load", lambda name: CORPUS)
    monkeypatch.setattr(runs, "VOCABULARY", 300)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(), unchecked():
        yield
    torch.set_num_threads(threads)


def train(folder, **options):
    small = {"preset": "tiny", "tokens": 2000, "tokens_per_batch": 200, "progress": False, **options}
    return runs.train("en-es", folder=folder, **small)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run that nothing interrupted, and the translator's folder in it."""
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch, torch.random.fork_rng(), unchecked():
        patch.setattr(corpora, "load", lambda name: CORPUS)
        patch.setattr(runs, "VOCABULARY", 300)
        torch.set_num_threads(1)
        return folder, train(folder)


def interrupt_at_the_third_save(monkeypatch):
    """Have Ctrl-C follow a run's third checkpoint; returns a list of the tokens at each, which grows."""
    real, calls = runs.TrainerWithSnapshots.save, []

    def interrupting(trainer):
        real(trainer)
        calls.append(trainer.tokens)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(runs.TrainerWithSnapshots, "save", interrupting)
    return calls


def results(folder):
    """The record of a translator, without the seal, which every second of training changes."""
    found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    del found["seal"]
    return found


def test_a_run_leaves_a_translator_that_translates(finished):
    folder, output = finished
    assert output == folder / "translator"
    translator = Translator.from_pretrained(output)
    assert translator.model.config.d_model == 64
    assert isinstance(translator.translate("I cats today."), str)
    assert translator.results == results(output)


def test_the_results_say_what_was_run_and_what_came_of_it(finished):
    found = results(finished[1])
    assert (found["corpus"], found["data_sha256"], found["preset"]) == ("tatoeba-en-es", "a" * 64, "tiny")
    assert found["pairs"] == {"train": 92, "validation": 4, "test": 4}
    assert found["settings"]["seed"] == 1
    assert found["settings"]["tokens"] == 2000 <= found["tokens"]
    assert found["steps"] == found["curve"][-1]["step"]
    assert 1 < found["epochs"] < found["steps"]
    assert found["plateau"] in (True, False)
    assert found["training_seconds"] > 0
    translator = Translator.from_pretrained(finished[1])
    assert found["parameters"] == sum(p.numel() for p in translator.model.parameters())
    assert found["subwords"] == {"size": len(translator.subwords), "sha256": translator.subwords.digest}
    assert {"machine", "versions", "date", "config", "budgets", "averaging"} <= found.keys()
    for record in found["curve"]:
        assert record.keys() == {
            "tokens", "step", "train_loss", "rate", "validation_loss", "validation_bleu", "validation_chrf"
        }  # fmt: skip
    assert found["curve"][-1]["validation_loss"] < found["curve"][0]["validation_loss"] - 0.5


def test_the_last_five_snapshots_are_kept_and_tried(finished):
    folder, output = finished
    snapshots = sorted(folder.glob("weights-*.safetensors"))
    tokens = [record["tokens"] for record in results(output)["curve"]]
    assert [int(path.stem.split("-")[1]) for path in snapshots] == tokens[-5:]
    assert results(output)["averaging"]["snapshots"] == 5


def test_a_folder_with_a_run_is_not_overwritten(finished):
    folder, output = finished
    before = (output / "results.json").read_bytes()
    with pytest.raises(TrainingError, match="holds a run already: continue it with --resume, or remove the folder"):
        train(folder)
    assert (output / "results.json").read_bytes() == before


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_the_resumed_run_ends_as_the_other(finished, tmp_path, monkeypatch, capsys):
    calls = interrupt_at_the_third_save(monkeypatch)
    assert train(tmp_path) is None
    assert f"stopped after {calls[-1]:,} of 2,000 tokens; go on with --resume" in capsys.readouterr().out
    assert not (tmp_path / "translator").exists()
    output = train(tmp_path, resume=True, output=tmp_path / "elsewhere")
    assert output == tmp_path / "elsewhere"
    found, wanted = results(output), results(finished[1])
    for name in wanted.keys() - {"training_seconds", "date"}:
        assert found[name] == wanted[name]
    ours, theirs = (load_file(folder / "model.safetensors") for folder in (output, finished[1]))
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


@pytest.mark.parametrize(
    ("options", "corpus", "message"),
    [
        ({"seed": 2}, CORPUS, r"settings\.seed: 1 before, 2 now"),
        ({"peak_rate": 0.5}, CORPUS, r"settings\.peak_rate: 0\.001 before, 0\.5 now"),
        ({}, replace(CORPUS, sha256="b" * 64), r"data: a{64} before, b{64} now"),
    ],
    ids=["seed", "rate", "data"],
)
def test_resuming_another_run_is_refused_by_what_differs(finished, monkeypatch, options, corpus, message):
    monkeypatch.setattr(corpora, "load", lambda name: corpus)
    with pytest.raises(TrainingError, match=message):
        train(finished[0], resume=True, **options)


def test_there_must_be_a_run_to_resume(tmp_path):
    with pytest.raises(TrainingError, match=r"nothing to resume.*start the run without --resume"):
        train(tmp_path / "new", resume=True)
    assert not (tmp_path / "new").exists()


def test_the_types_hold_throughout_a_run(tmp_path):
    jaxtyping.config.update("jaxtyping_disable", False)
    assert train(tmp_path, tokens=100) == tmp_path / "translator"


def test_an_unknown_preset_is_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(corpora, "load", None)
    with pytest.raises(ValueError, match="unknown preset 'huge': choose one of tiny, small, base"):
        runs.train("en-es", preset="huge")


def test_unknown_positions_are_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setattr(corpora, "load", None)
    with pytest.raises(ValueError, match="unknown positions 'absolute': choose one of sinusoidal, learned,"):
        runs.train("en-es", positions="absolute")


def test_a_run_with_other_positions_says_so_and_its_translator_has_them(tmp_path):
    output = train(tmp_path, tokens=100, positions="learned")
    assert results(output)["command"].endswith(" --positions learned --seed 1")
    translator = Translator.from_pretrained(output)
    assert translator.model.config.positions == "learned"
    assert "positions" in dict(translator.model.named_parameters())
    with pytest.raises(TrainingError, match=r"config\.positions: learned before, None now"):
        train(tmp_path, tokens=100, resume=True)


def test_a_recurrent_preset_trains_its_model_and_says_so(tmp_path):
    output = train(tmp_path, preset="rnn-attention", tokens=100)
    assert " --preset rnn-attention " in results(output)["command"]
    assert results(output)["config"]["family"] == "recurrent"
    assert isinstance(Translator.from_pretrained(output).model, RecurrentEncoderDecoder)


@pytest.mark.slow
def test_a_fast_run_stops_and_goes_on_and_says_that_it_was_fast(tmp_path, monkeypatch):
    whole = train(tmp_path / "whole", tokens=700, fast=True)
    interrupt_at_the_third_save(monkeypatch)
    assert train(tmp_path / "stopped", tokens=700, fast=True) is None
    with pytest.raises(TrainingError, match="fast: True before, None now"):
        train(tmp_path / "stopped", tokens=700, resume=True)
    output = train(tmp_path / "stopped", tokens=700, fast=True, resume=True)
    assert results(output)["command"].endswith(" --fast --seed 1")
    assert results(output)["averaging"] == results(whole)["averaging"]
    ours, theirs = (load_file(folder / "model.safetensors") for folder in (output, whole))
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_the_updates_of_a_fast_run_are_the_fast_ones_and_those_of_another_are_not(tmp_path, monkeypatch):
    def told(*_):
        raise RuntimeError("the fast step was taken")

    monkeypatch.setattr(runs.FastTrainer, "train_step", told)
    assert train(tmp_path / "readable", tokens=100) is not None
    with pytest.raises(RuntimeError, match="the fast step was taken"):
        train(tmp_path / "fast", tokens=100, fast=True)


@pytest.mark.parametrize("preset", ["rnn", "rnn-attention"])
def test_fast_updates_are_refused_for_a_recurrent_model(monkeypatch, preset):
    monkeypatch.setattr(corpora, "load", lambda name: pytest.fail("the corpus was read"))
    with pytest.raises(ValueError, match=f"faster updates are for a Transformer: train '{preset}' without them"):
        runs.train("en-es", preset=preset, fast=True)


def test_fast_updates_are_refused_for_several_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "load", lambda name: pytest.fail("the corpus was read"))

    @contextmanager
    def two(device):
        yield SimpleNamespace(leads=True, size=2)

    monkeypatch.setattr(runs, "team", two)
    with pytest.raises(ValueError, match="faster updates are for one process: train on 2 without them"):
        train(tmp_path, fast=True)


def test_positions_are_refused_where_the_model_reads_in_order(monkeypatch):
    monkeypatch.setattr(corpora, "load", lambda name: pytest.fail("the corpus was read"))
    with pytest.raises(ValueError, match="positions='learned' is for a Transformer"):
        runs.train("en-es", preset="rnn", positions="learned")


def test_a_checkpoint_from_before_positions_could_be_chosen_can_be_resumed(finished):
    identity = read_record(finished[0] / "checkpoint.safetensors")["identity"]
    assert "positions" not in identity["config"]
    assert identity["config"].keys() | {"positions"} == results(finished[1])["config"].keys()


def test_runs_live_in_the_users_cache_folder_one_for_each_seed():
    first, second = (runs.run_folder("en-es", "small", seed) for seed in (1, 2))
    assert first != second
    assert first.parent == second.parent
    assert "attention-book" in first.parts
    assert runs.run_folder("en-es", "small", 1, "rotary") not in (first, second)
    assert runs.run_folder("en-es", "small", 1, fast=True) not in (first, second)
    assert runs.run_folder("en-es", "small", 1, "sinusoidal") == first


@pytest.mark.parametrize("gain", [True, False])
def test_averaged_weights_are_kept_only_if_validation_gains(tmp_path, gain):
    scores = iter([10.0, 11.0 if gain else 10.0])
    trainer = TrainerWithSnapshots(
        seeded(lambda: nn.Linear(2, 2)),
        [],
        TrainingSettings(tokens=1),
        lambda model: {"validation_bleu": next(scores)},
        tmp_path,
    )
    for value in (0, 4):
        nn.init.constant_(trainer.model.weight, value)
        trainer.tokens = value
        trainer.curve.append({"tokens": value})
        trainer.save()
    last = nn.init.normal_(trainer.model.weight).detach().clone()
    told = average_if_better(trainer)
    assert told["used"] is gain
    assert torch.equal(trainer.model.weight, torch.full((2, 2), 2.0) if gain else last)


def test_the_validation_scores_are_those_of_the_translator(finished):
    output = finished[1]
    translator = Translator.from_pretrained(output)
    validate = runs._validator(CORPUS, translator.subwords, translator.model.config)
    found = validate(translator.model)
    outcomes = translator.translate_each([pair.source for pair in CORPUS.validation], beam_size=1, split=False)
    wanted = runs.bleu_and_chrf([outcome.text for outcome in outcomes], [pair.references for pair in CORPUS.validation])
    assert (found["validation_bleu"], found["validation_chrf"]) == (wanted.bleu, wanted.chrf)
    assert found["validation_loss"] == pytest.approx(results(output)["curve"][-1]["validation_loss"], abs=0.01)


def test_the_vocabulary_is_learnt_from_training_alone(finished):
    texts = [text for pair in CORPUS.train for text in (pair.source, pair.target)]
    assert runs.Subwords.load(finished[0] / "tokenizer.json").digest == runs.Subwords.train(texts, 300).digest
