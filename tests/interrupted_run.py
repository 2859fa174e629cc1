"""A small training run for tests to interrupt: ``python interrupted_run.py FOLDER`` reports each validation."""

import random
import sys
import time
from pathlib import Path

import torch

from attention_book.data.batching import token_batches
from attention_book.models.transformer import Transformer, TransformerConfig
from attention_book.training.trainer import Trainer, TrainingSettings, validation_loss

VOCAB = 20


def copies(n, seed, longest=8):
    """Pairs of ids whose target repeats the source."""
    numbers = random.Random(seed)
    sources = [[numbers.randrange(3, VOCAB) for _ in range(numbers.randint(2, longest))] for _ in range(n)]
    return [(source, source) for source in sources]


def trainer(folder=None, seed=7, identity=None, **settings):
    """A run of about sixty steps and ten validations, with dropout."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig.tiny(VOCAB, d_model=16, n_heads=2, d_ff=32, max_len=12))
    batches = token_batches(copies(20, seed=1), 200, seed=0, epoch=0)
    recipe = TrainingSettings(
        **{"tokens": 3000, "tokens_per_batch": 60, "validate_every": 300, "peak_rate": 5e-3, **settings}
    )

    def validate(model):
        return {"validation_loss": validation_loss(model, batches)}

    return Trainer(model, copies(40, seed=0), recipe, validate, folder, {"corpus": "copies", **(identity or {})})


def main(folder):
    """Train slowly, so that there is time to interrupt."""
    run = trainer(folder)
    step = run.train_step

    def slow_step(batch):
        time.sleep(0.1 if len(run.curve) > 1 else 0)
        return step(batch)

    run.train_step = slow_step
    finished = run.run(progress=False, on_validation=lambda run: print("validated", run.tokens, flush=True))
    print("finished" if finished else "stopped", run.tokens, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
