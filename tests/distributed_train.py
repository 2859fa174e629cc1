"""A whole training on a made-up corpus, for torchrun to start: ``torchrun … distributed_train.py FOLDER``."""

import sys
from pathlib import Path

from crashing_run import CORPUS

from attention_book.data import corpora
from attention_book.training import runs

if __name__ == "__main__":
    corpora.load = lambda name: CORPUS
    runs.VOCABULARY = 300
    runs.train(
        "en-es", "tiny", tokens=2000, tokens_per_batch=200, threads=1, folder=Path(sys.argv[1]), device="cpu",
        progress=False,
    )  # fmt: skip
