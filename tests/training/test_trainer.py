"""Training: it learns, it repeats itself exactly, and neither Ctrl-C, kill -9, a full disk nor NaN loses anything."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import jaxtyping
import pytest
import torch
import torch.nn.functional as F
from interrupted_run import VOCAB, copies, trainer
from oracles import seeded, unchecked

import attention_book
from attention_book.data.batching import token_batches
from attention_book.models import checkpoints
from attention_book.models.checkpoints import CheckpointError, read_record
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.training.schedules import warmup_then_decay
from attention_book.training.trainer import (
    Trainer,
    TrainingError,
    TrainingSettings,
    fastest_precision,
    plateau,
    validation_loss,
)
from attention_book.translation.decoding import greedy_decode

HERE = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def global_state():
    """Leave the random state, the number of threads and the handler of Ctrl-C as they were; train without type checks.

    The checks take three times the time of these tiny steps; one test below has them on.
    """
    threads, handler = torch.get_num_threads(), signal.getsignal(signal.SIGINT)
    torch.set_num_threads(1)
    with torch.random.fork_rng(), unchecked():
        yield
    torch.set_num_threads(threads)
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.fixture(scope="module")
def straight():
    """The run that nothing interrupts."""
    with torch.random.fork_rng(), unchecked():
        run = trainer()
        assert run.run(progress=False)
    return run


def same_run(found, wanted):
    """Equal to the last bit, in all that a run leaves behind."""
    for name in ("curve", "tokens", "step", "epoch", "index", "since", "loss_sum"):
        assert getattr(found, name) == getattr(wanted, name)
    for our, their in zip(found.model.parameters(), wanted.model.parameters(), strict=True):
        assert torch.equal(our, their)


# It learns.


def test_one_batch_is_learnt_by_heart():
    model = seeded(lambda: Transformer(TransformerConfig.tiny(VOCAB, dropout=0.0)))
    pairs = copies(6, seed=3)
    run = Trainer(model, pairs, TrainingSettings(tokens=3000, tokens_per_batch=1000, peak_rate=3e-3, smoothing=0.0))
    assert run.run(progress=False)
    assert run.epoch + run.index == run.step > 50  # one batch an epoch
    assert validation_loss(model.eval(), token_batches(pairs, 1000, seed=0, epoch=0)) < 0.02


@pytest.mark.slow
def test_the_copy_task_is_learnt_to_more_than_99_percent_of_tokens_on_sentences_never_seen():
    model = seeded(lambda: Transformer(TransformerConfig.tiny(VOCAB, dropout=0.0)))
    settings = TrainingSettings(tokens=100_000, tokens_per_batch=200, peak_rate=3e-3, warmup=0.1)
    assert Trainer(model, copies(6000, seed=0), settings).run(progress=False)
    unseen = [pair for pair in copies(200, seed=1) if len(pair[0]) > 3]
    hits = total = 0
    for batch in token_batches(unseen, 1000, seed=0, epoch=0):
        for wanted, hypothesis in zip(batch.tgt_out.tolist(), greedy_decode(model, batch.src), strict=True):
            wanted = [token for token in wanted if token != 0]
            total += len(wanted)
            hits += sum(a == b for a, b in zip(wanted, hypothesis.tokens, strict=False))
    assert hits / total > 0.99


def test_bfloat16_learns_as_well():
    run = trainer(precision="bfloat16")
    assert run.run(progress=False)
    assert run.curve[-1]["train_loss"] < run.curve[0]["train_loss"] - 0.2
    assert all(parameter.dtype == torch.float32 for parameter in run.model.parameters())
    assert fastest_precision() in ("bfloat16", "float32")


# It repeats itself.


def test_the_same_seed_gives_the_same_run(straight):
    again = trainer()
    again.run(progress=False)
    same_run(again, straight)


def test_the_types_hold_throughout_a_run(tmp_path):
    jaxtyping.config.update("jaxtyping_disable", False)
    run = trainer(tmp_path, tokens=300, validate_every=100)
    assert not run.run(progress=False, on_validation=lambda run: signal.raise_signal(signal.SIGINT))
    run = resumed(tmp_path, tokens=300, validate_every=100)
    assert run.run(progress=False)
    assert validation_loss(run.model.eval(), token_batches(run.encoded, 100, seed=0, epoch=0)) > 0
    assert not plateau(run.curve)


@pytest.mark.parametrize("change", [{"seed": 8}, {"peak_rate": 4e-3}, {"smoothing": 0.0}, {"clip": 0.01}])
def test_another_recipe_gives_another_run(straight, change):
    other = trainer(**{"tokens": 400, **change})
    other.run(progress=False)
    assert other.curve[0]["train_loss"] != straight.curve[0]["train_loss"]


def test_validation_moves_nothing(straight):
    def noisy(model):
        assert not model.training
        assert torch.is_inference_mode_enabled()
        return {"validation_loss": float(torch.rand(()))}

    other = trainer()
    other.validate = noisy
    other.run(progress=False)
    for our, their in zip(other.model.parameters(), straight.model.parameters(), strict=True):
        assert torch.equal(our, their)


def test_budgets_and_the_curve_count_target_tokens_without_padding(straight):
    batches = []
    for epoch in range(straight.epoch + 1):
        batches += token_batches(straight.encoded, 60, seed=straight.settings.seed, epoch=epoch)
    used = [sum(len(row[row != 0]) for row in batch.tgt_out) for batch in batches[: straight.step]]
    assert straight.tokens == sum(used) >= 3000 > sum(used[:-1])
    assert [record["tokens"] for record in straight.curve] == [sum(used[: r["step"]]) for r in straight.curve]
    assert len(straight.curve) == 10
    assert straight.seconds > 0


def test_the_learning_rate_follows_the_schedule(straight):
    for record in straight.curve:
        assert record["rate"] == warmup_then_decay(record["tokens"], 3000, 0.04 * 3000, 5e-3)


def test_decay_acts_on_matrices_and_not_on_biases_and_norms():
    run = trainer()
    decayed, spared = (group["params"] for group in run.optimizer.param_groups)
    assert [group["weight_decay"] for group in run.optimizer.param_groups] == [0.01, 0.0]
    assert {p.dim() for p in decayed} == {2}
    assert {p.dim() for p in spared} == {1}
    assert len(decayed) + len(spared) == len(list(run.model.parameters()))


def test_the_gradient_is_clipped(straight):
    run = trainer(clip=1e-3)
    run.train_step(token_batches(run.encoded, 60, seed=1, epoch=0)[0])
    norm = torch.stack([parameter.grad.norm() for parameter in run.model.parameters()]).norm()
    assert float(norm) == pytest.approx(1e-3, rel=1e-3)


# Nothing is lost.


def child(folder):
    source = Path(attention_book.__file__).parents[1]
    path = os.pathsep.join([str(source), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "interrupted_run.py"), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def resumed(folder, **changes):
    run = trainer(folder, **changes)
    torch.manual_seed(99)  # the random state must come from the checkpoint
    run.resume()
    return run


@pytest.mark.slow
def test_a_run_killed_and_resumed_is_the_run_that_was_never_killed(straight, tmp_path):
    with child(tmp_path) as process:
        for _ in range(3):
            assert process.stdout.readline().startswith("validated")
        process.kill()
    assert process.returncode == -signal.SIGKILL
    run = resumed(tmp_path)
    assert 0 < run.tokens < 3000
    assert run.run(progress=False)
    same_run(run, straight)


@pytest.mark.slow
def test_ctrl_c_finishes_the_step_saves_and_can_be_resumed(straight, tmp_path):
    with child(tmp_path) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        *_, last = process.stdout.read().splitlines()
    assert process.returncode == 0
    state, tokens = last.split()
    assert state == "stopped"
    run = resumed(tmp_path)
    assert run.tokens == int(tokens)
    assert run.run(progress=False)
    same_run(run, straight)


@pytest.mark.slow
def test_ctrl_c_at_any_point_of_an_epoch_resumes_exactly(straight, tmp_path):
    run, stops = trainer(tmp_path), 0
    step = run.train_step

    def interrupting(run, step):
        def train_step(batch):
            loss = step(batch)
            signal.raise_signal(signal.SIGINT)
            return loss

        return train_step

    run.train_step = interrupting(run, step)
    while not run.run(progress=False):
        stops += 1
        run = resumed(tmp_path)
        if stops < 9:  # an epoch has fewer batches than that
            run.train_step = interrupting(run, run.train_step)
    assert run.epoch > 1
    same_run(run, straight)


@pytest.fixture
def as_in_a_terminal():
    """Python's own answer to Ctrl-C, where tests were started in the background and inherit that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_second_ctrl_c_interrupts_at_once(tmp_path, as_in_a_terminal):
    run = trainer(tmp_path)

    def impatient(batch):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    run.train_step = impatient
    with pytest.raises(KeyboardInterrupt):
        run.run(progress=False)


def test_a_run_outside_the_main_thread_leaves_signals_alone(straight):
    run, errors = trainer(), []

    def work():
        try:
            run.run(progress=False)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert errors == []
    same_run(run, straight)


def test_a_full_disk_ends_the_run_with_the_last_good_checkpoint_kept(straight, tmp_path, monkeypatch):
    real, calls = checkpoints._write, []

    def filling_up(path, content):
        calls.append(path)
        if len(calls) == 4:
            path.write_bytes(b"as much as there was room for")
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, content)

    run = trainer(tmp_path)
    monkeypatch.setattr(checkpoints, "_write", filling_up)
    with pytest.raises(CheckpointError, match=r"No space left on device; the earlier .* is kept"):
        run.run(progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.safetensors"]
    monkeypatch.undo()
    run = resumed(tmp_path)
    assert len(run.curve) == 3
    assert run.run(progress=False)
    same_run(run, straight)


def plant_nan_in_the_weights(run):
    with torch.no_grad():
        run.model.output.weight[5] = float("nan")


def plant_an_infinite_gradient(run):
    run.model.encoder.layers[0].feed_forward.w_1.bias.register_hook(lambda gradient: gradient / 0)


@pytest.mark.parametrize(
    ("plant", "what"), [(plant_nan_in_the_weights, "loss"), (plant_an_infinite_gradient, "norm of the gradient")]
)
def test_numbers_that_are_not_finite_end_the_run_with_the_last_good_checkpoint_kept(straight, tmp_path, plant, what):
    run = trainer(tmp_path)
    good = {}

    def at_validation(run):
        if len(run.curve) == 2:
            good.update(content=run.checkpoint.read_bytes(), step=run.step)
            plant(run)

    with pytest.raises(TrainingError, match=rf"the {what} became (nan|inf) at step \d+ .*last good checkpoint is .*"):
        run.run(progress=False, on_validation=at_validation)
    assert run.step == good["step"]
    assert run.checkpoint.read_bytes() == good["content"]
    run = resumed(tmp_path)
    assert run.run(progress=False)
    same_run(run, straight)


def test_without_a_folder_nan_is_reported_and_no_checkpoint_promised():
    run = trainer()
    plant_nan_in_the_weights(run)
    with pytest.raises(TrainingError, match="no checkpoint was kept"):
        run.run(progress=False)


# What cannot be resumed is refused.


@pytest.fixture
def interrupted(tmp_path):
    """The folder of a run that stopped after its first validation."""
    run = trainer(tmp_path)
    assert not run.run(progress=False, on_validation=lambda run: signal.raise_signal(signal.SIGINT))
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"peak_rate": 1e-3}, r"belongs to another run \(settings\.peak_rate: 0\.005 before, 0\.001 now\)"),
        ({"smoothing": 0.0, "clip": 2.0}, r"settings\.smoothing: 0\.1 before, 0\.0 now; settings\.clip: 1\.0 before"),
        ({"identity": {"corpus": "others"}}, r"\(corpus: copies before, others now\)"),
        ({"identity": {"config": {"n_layers": 3}}}, r"\(config: None before, .* now\)"),
    ],
)
def test_another_run_is_refused_by_what_differs_and_left_alone(interrupted, changes, message):
    run = trainer(interrupted, **changes)
    before = run.model.src_embedding.weight.clone()
    with pytest.raises(TrainingError, match=message):
        run.resume()
    assert torch.equal(run.model.src_embedding.weight, before)
    assert run.tokens == 0


def test_a_new_budget_is_taken_up_and_told(interrupted):
    run = resumed(interrupted, tokens=1500)
    at = run.tokens
    assert run.budgets == [[0, 3000], [at, 1500]]
    assert run.run(progress=False)
    assert 1500 <= run.tokens < 1600
    assert run.curve[-1]["rate"] < 1e-5  # down to the end of the new budget
    assert read_record(run.checkpoint)["progress"]["budgets"] == run.budgets
    assert resumed(interrupted, tokens=1500).budgets == run.budgets


def test_there_must_be_something_to_resume(tmp_path):
    for folder in (tmp_path, None):
        with pytest.raises(TrainingError, match="nothing to resume"):
            trainer(folder).resume()


def test_a_damaged_checkpoint_is_refused(interrupted):
    path = interrupted / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="is damaged: "):
        trainer(interrupted).resume()


def test_a_finished_run_has_nothing_left_to_do(straight, tmp_path):
    trainer(tmp_path).run(progress=False)
    again = resumed(tmp_path)
    assert again.run(progress=False)
    same_run(again, straight)


def test_no_pairs_are_refused_and_do_not_run_forever():
    run = trainer()
    run.encoded = []
    with pytest.raises(TrainingError, match="nothing to train on"):
        run.run(progress=False)


@pytest.mark.parametrize("name", ["tokens", "tokens_per_batch", "validate_every", "peak_rate", "clip"])
def test_settings_that_are_not_positive_are_refused_by_name(name):
    with pytest.raises(ValueError, match=f"{name} must be positive, got 0"):
        TrainingSettings(**{"tokens": 1, name: 0 if name not in ("peak_rate", "clip") else 0.0})


# What is reported.


def test_the_checkpoint_holds_the_settings_and_the_curve_as_json(straight, tmp_path):
    run = trainer(tmp_path)
    run.run(progress=False)
    record = read_record(run.checkpoint)
    assert record["identity"] == json.loads(json.dumps(run.identity))
    assert record["progress"]["curve"] == straight.curve


def test_validation_loss_is_the_mean_over_tokens_whatever_the_batches():
    model = seeded(lambda: Transformer(TransformerConfig.tiny(VOCAB))).eval()
    pairs = copies(15, seed=2)
    total = count = 0
    for source, target in pairs:
        logits = model(torch.tensor([[*source, 2]]), torch.tensor([[1, *target]]))[0]
        total += F.cross_entropy(logits, torch.tensor([*target, 2]), reduction="sum").item()
        count += len(target) + 1
    for size in (20, 60, 1000):
        found = validation_loss(model, token_batches(pairs, size, seed=0, epoch=0))
        assert found == pytest.approx(total / count, rel=1e-5)


def test_progress_is_shown_on_request_with_its_numbers(capsys):
    trainer(tokens=600).run(progress=True)
    shown = "".join(capsys.readouterr())
    assert "tok/s" in shown
    assert "loss=" in shown
    assert "validation_loss" in shown
    trainer(tokens=600).run(progress=False)
    assert "".join(capsys.readouterr()) == ""


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], False),
        ([1, 2, 3, 4, 5], False),
        ([9, 1, 2, 3, 4, 5], True),
        ([9, 1, 2, 3, 4, 9.5], False),
        ([1, 9, 8, 8, 8, 8], False),
        ([1, 9, 8, 8, 8, 8, 8], True),
        ([9, 9, 9, 9, 9, 9], True),
    ],
)
def test_a_plateau_is_five_validations_without_a_gain(scores, expected):
    assert plateau([{"validation_bleu": float(score)} for score in scores]) is expected
