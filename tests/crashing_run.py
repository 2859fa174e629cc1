"""A small run that dies wherever a process can: ``python crashing_run.py FOLDER`` tells what came of each death.

The run is the real ``train``, on a made-up corpus and with a model of a few hundred weights. It begins in a folder from
which the checkpoint of another run was deleted, is stopped by Ctrl-C between two validations, and is resumed. Whatever
it dies of, taking it up again must end as the run that nothing disturbed.
"""

import itertools
import json
import os
import random
import re
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MethodType

import pytest
import torch
from dying_process import DIED, Operations, in_a_child
from oracles import unchecked

from attention_book.data import corpora
from attention_book.data.corpora import Corpus, Pair
from attention_book.models.checkpoints import load_tensors
from attention_book.models.config import TransformerConfig
from attention_book.provenance import environment
from attention_book.training import runs, snapshots
from attention_book.training.trainer import CHECKPOINT, TrainingSettings, validation_loss

PEOPLE = {"I": "yo", "you": "tú", "we": "nosotros", "they": "ellos"}
THINGS = {"cats": "gatos", "dogs": "perros", "books": "libros", "trains": "trenes", "songs": "cantos"}
HOW = {"today": "hoy", "here": "aquí", "always": "siempre", "too": "también", "now": "ahora"}
PAIRS = tuple(
    Pair(f"{a} {b} {c}.", f"{x} {y} {z}.", (f"{x} {y} {z}.",))
    for (a, x), (b, y), (c, z) in itertools.product(PEOPLE.items(), THINGS.items(), HOW.items())
)
CORPUS = Corpus("tatoeba-en-es", PAIRS[8:], PAIRS[:4], PAIRS[4:8], "en", "es", "a" * 64)
_VALIDATOR = runs._validator
STOPPED_AFTER = 3
"""The steps that Ctrl-C follows, one of them after the first validation."""
PASSING = {"training_seconds", "seconds", "date", "machine", "seal"}
"""What no two runs have in common."""


def set_up(averaging, put=setattr):
    """Put the small corpus, model and recipe in the place of the real ones.

    Args:
        averaging: validate by the loss alone, and take it for BLEU: the mean of the snapshots, whose loss is greater,
            becomes the translator. False validates as ever.
        put: sets an attribute; pytest's ``monkeypatch.setattr`` takes it back after the test.
    """
    torch.set_num_threads(1)
    put(corpora, "load", lambda name: CORPUS)
    put(environment, "versions", cache(environment.versions))
    put(runs, "VOCABULARY", 300)
    put(snapshots, "KEPT_SNAPSHOTS", 3)
    put(runs, "PRESETS", {**runs.PRESETS, "tiny": MethodType(_few_weights, TransformerConfig)})
    put(runs, "TrainingSettings", lambda **settings: TrainingSettings(**{**settings, "validate_every": 150}))
    put(runs, "_validator", _by_loss if averaging else _VALIDATOR)


@contextmanager
def small_run(averaging=True):
    """The small corpus, model and recipe for a while, without type checks; global states are left as they were."""
    threads = torch.get_num_threads()
    with pytest.MonkeyPatch.context() as patch, torch.random.fork_rng(), unchecked():
        set_up(averaging, patch.setattr)
        yield
    torch.set_num_threads(threads)


def _few_weights(cls, vocab_size, **options):
    return cls.tiny(vocab_size, d_model=4, n_heads=1, n_layers=1, d_ff=4, max_len=20, bias=False, **options)


def _by_loss(corpus, subwords, config):
    batches = runs.token_batches(runs.encode_pairs(corpus.validation, subwords, config.max_len), 4000, seed=0, epoch=0)

    def validate(model):
        loss = validation_loss(model, batches)
        return {"validation_loss": loss, "validation_bleu": loss}

    return validate


def train(folder, **changes):
    """Start the run, or take it up where its checkpoint left it."""
    options = {"preset": "tiny", "tokens": 700, "tokens_per_batch": 110, "threads": 1, "progress": False}
    return runs.train("en-es", folder=folder, **{"resume": (folder / CHECKPOINT).exists(), **options, **changes})


def train_until_stopped(folder):
    """The run's beginning: Ctrl-C stops it after some steps."""
    trainer, made = runs.TrainerWithSnapshots, runs.TrainerWithSnapshots.train_step

    def step(self, batch):
        if self.step == STOPPED_AFTER - 1:
            signal.raise_signal(signal.SIGINT)
        return made(self, batch)

    trainer.train_step = step
    try:
        assert train(folder) is None
    finally:
        trainer.train_step = made


def train_with_a_stop(folder):
    """The run, stopped and taken up again."""
    train_until_stopped(folder)
    assert train(folder) is not None


def contents(folder):
    """All that lies in a folder, by file: tensors as bytes, records as values, without times, machine and date."""
    return {str(path.relative_to(folder)): _content(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _content(path):
    if path.suffix == ".safetensors":
        tensors, record = load_tensors(path)
        return _lasting(record), {name: (tensor.shape, tensor.numpy().tobytes()) for name, tensor in tensors.items()}
    return _lasting(path.read_text(encoding="utf-8"))


def _lasting(value):
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if isinstance(value, dict):
        return {name: _lasting(part) for name, part in value.items() if name not in PASSING}
    return [_lasting(part) for part in value] if isinstance(value, list) else value


def differing(folder, wanted):
    """The files that are not as wanted, those included that should not be there."""
    found = contents(folder)
    return [name for name in {**found, **wanted} if found.get(name) != wanted.get(name)]


def _named(operations):
    """Operations with the numbers of processes and the random parts of names taken out."""
    return [(name, re.sub(r"(\.\d+-\w{8})?\.part\S*", ".part", place)) for name, place in operations]


def crash_points(root):
    """Die at every operation of the run, and take it up again.

    After an operation the disk is as before the next one, so that a death there says nothing new. Two are tried all the
    same: after a write, which is on the disk then and might not be before the next operation, and after the last one.

    Returns:
        The operations of the run, how many processes died before, in the middle of and after one, and what was wrong.
    """
    set_up(averaging=True)
    undisturbed, earlier, folder = root / "undisturbed", root / "earlier", root / "run"
    train(undisturbed)
    wanted = contents(undisturbed)
    train(earlier, seed=2)
    (earlier / CHECKPOINT).unlink()
    operations, lists, divisible = Operations(folder), [], []

    def life(number=None, moment=None):
        operations.die_at(number, moment)
        train_with_a_stop(folder)

    for _ in range(2):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(earlier, folder)
        life()
        lists.append(_named(operations.done))
        divisible = operations.divisible
        assert not differing(folder, wanted), f"the stopped run has other {differing(folder, wanted)}"
    assert lists[0] == lists[1], "two runs make different operations"
    last = len(lists[0])
    points = [(number, "before") for number in range(1, last + 1)]
    points += [(number, moment) for number in divisible for moment in ("middle", "after")]
    points += [(last, "after")] if last not in divisible else []
    wrong, died = [], {"before": 0, "middle": 0, "after": 0}
    for number, moment in [*sorted(points), (last + 1, "before")]:
        shutil.rmtree(folder)
        shutil.copytree(earlier, folder)
        ended = in_a_child(lambda: life(number, moment))  # noqa: B023, it is called at once
        if number > last:
            assert ended == 0, "there is one more operation than in the run without a crash"
            continue
        died[moment] += ended == DIED
        again = in_a_child(lambda: train(folder))
        others = differing(folder, wanted)
        if ended != DIED or again != 0 or others:
            wrong.append([moment, *lists[0][number - 1], number, ended, again, others])
    record = json.loads((undisturbed / "translator" / "results.json").read_text(encoding="utf-8"))
    return {"operations": lists[0], "died": died, "averaged": record["averaging"]["used"], "wrong": wrong}


def kills(root, wanted_kills=20):
    """Kill the run, validated as ever, at random moments, up to four times, and take it up again each time.

    Returns:
        How many processes were killed, and what was wrong.
    """
    set_up(averaging=False)
    undisturbed, numbers = root / "calm", random.Random(0)
    train(root / "warm")
    began = time.monotonic()
    train(undisturbed)
    longest = time.monotonic() - began
    wanted, killed, wrong = contents(undisturbed), 0, []
    for life in range(5 * wanted_kills):  # on a machine whose speed changes many runs end before they are killed
        if killed >= wanted_kills:
            break
        folder = root / f"life{life}"
        for _ in range(4):
            ended = in_a_child(lambda: train(folder), numbers.uniform(0.05, 0.9) * longest)  # noqa: B023
            killed += ended == -signal.SIGKILL
            if ended != -signal.SIGKILL:
                break
        again = in_a_child(lambda: train(folder)) if ended else 0  # noqa: B023
        others = differing(folder, wanted)
        if ended not in (0, -signal.SIGKILL) or again != 0 or others:
            wrong.append([life, ended, again, others])
    return {"killed": killed, "wrong": wrong}


def main(root):
    """Print a JSON object of what there was."""
    killed = kills(root)  # first: nothing is wrapped yet
    print(json.dumps({"points": crash_points(root), "kills": killed}))


if __name__ == "__main__":
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    main(Path(sys.argv[1]))
