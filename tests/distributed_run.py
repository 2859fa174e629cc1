"""Small training runs on several processes, for tests: ``python distributed_run.py`` takes one order a line, as JSON.

An order is ``{"folder": where to train, "ranks": number of processes, "environment": more variables, "options": {…}}``;
the answer is a line of JSON, for each process its exit status (or minus a signal), and what it printed on stdout and on
stderr. The libraries are imported once, as that takes longer than a run: each process is forked.

The options are ``settings`` of the run, ``resume``, ``interrupt`` and ``die``, [rank, step] at which Ctrl-C or kill -9
comes, ``first``, whether only one step is taken, whose gradient goes to a file, ``alike``, how many steps are taken in
which every rank has the same row, to say which coordinates dropout kept. With one process (no WORLD_SIZE) an
ordinary trainer runs, which is what the others are held against.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path

import torch
import torch._dynamo  # an optimiser's first step would
from interrupted_run import VOCAB, copies
from safetensors.torch import save_file

from attention_book.data.batching import padded_batch, token_batches
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.training.distributed import DistributedTrainer, team
from attention_book.training.snapshots import TrainerWithSnapshots
from attention_book.training.trainer import TrainingError, TrainingSettings, validation_loss

UNEVEN = [([5, 6], [5, 6]), ([7], [7, 8, 9, 4, 5, 6, 7]), ([4, 4, 4], [9]), ([6], [6, 6])]
"""Four pairs whose targets have 3, 8, 2 and 3 tokens: two ranks have 5 and 11 of them."""
LONGEST = 900
"""Seconds after which a process is ended: one that waits for another may wait for ever."""


def kept_in(trainer, batch, steps):
    """Of each embedded side of the batch, step after step: 1 where dropout left a coordinate, 0 where it did not."""
    found = []
    trainer.model.dropout.register_forward_hook(
        lambda module, given, output: found.append((output != 0).int().flatten().tolist())
    )
    for _ in range(steps):
        trainer.train_step(batch)
        trainer.step += 1
    return found


def run(folder, options):
    """Train as this process of a team, and say how it ended."""
    torch.set_num_threads(1)
    torch.manual_seed(7)
    size = {"d_model": 16, "n_heads": 2, "d_ff": 32, "max_len": 12, "bias": False}
    model = Transformer(TransformerConfig.tiny(VOCAB, dropout=options.get("dropout", 0.0), **size))
    batches = token_batches(copies(20, seed=1), 200, seed=0, epoch=0)
    recipe = {"tokens": 900, "tokens_per_batch": 45, "validate_every": 300, "peak_rate": 5e-3}
    settings = TrainingSettings(**recipe | options.get("settings", {}))

    def validate(model):
        return {"validation_loss": validation_loss(model, batches), "validation_bleu": 0.0}

    with team("cpu") as own:
        given = (model, copies(41, seed=0), settings, validate, folder / "run")
        trainer = TrainerWithSnapshots(*given) if own.size == 1 else DistributedTrainer(own, *given)
        trainer.resume() if options.get("resume") else trainer.start()
        if options.get("first"):
            loss = trainer.train_step(padded_batch(UNEVEN[: options["first"]]))
            gradients = {name: p.grad.clone() for name, p in model.named_parameters()}
            save_file(gradients, folder / f"gradients-{own.rank}-of-{own.size}.safetensors")
            print(json.dumps({"loss": loss}))
            return
        if options.get("alike"):
            batch = padded_batch([([4] * 10, [5] * 10)] * own.size)
            print(json.dumps({"kept": kept_in(trainer, batch, options["alike"])}))
            return
        step = trainer.train_step

        def disturbed(batch):
            for name, number in (("interrupt", signal.SIGINT), ("die", signal.SIGKILL)):
                if options.get(name) == [own.rank, trainer.step]:
                    os.kill(os.getpid(), number)
            return step(batch)

        trainer.train_step = disturbed
        finished = trainer.run(progress=False)
        save_file({n: p.detach().clone() for n, p in model.named_parameters()}, folder / f"weights-{own.rank}")
        print(json.dumps({"finished": finished, "step": trainer.step, "curve": trainer.curve}))


def started(order, rank):
    """Fork one process of an order; its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        for number, path in enumerate(told_in(order, rank), 1):
            os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
        signal.alarm(LONGEST)
        os.environ.update(order["environment"], RANK=str(rank))
        run(Path(order["folder"]), order["options"])
        status = 0
    except TrainingError as error:
        print(f"error: {error}", file=sys.stderr)
        status = 2
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def told_in(order, rank):
    """The files that a process prints into."""
    return [Path(order["folder"], f"{name}-{rank}") for name in ("stdout", "stderr")]


def ended(order, rank, child):
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [status, *(path.read_text(encoding="utf-8") for path in told_in(order, rank))]


if __name__ == "__main__":
    for line in sys.stdin:
        order = json.loads(line)
        children = [started(order, rank) for rank in range(order["ranks"])]
        print(json.dumps([ended(order, rank, child) for rank, child in enumerate(children)]), flush=True)
