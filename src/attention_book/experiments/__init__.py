"""Named experiments: each is one module below, run by one command, and written to ``results/NAME.json``.

A module in the folder of its part of the book whose name is the experiment's (``little_entropy`` for
``little-entropy``) defines

- ``QUESTION``: the question, in one sentence;
- ``CONFIGURATION``: everything that was chosen, as JSON-ready values;
- ``SEEDS``: the seeds it is run with;
- ``run_seed(seed, configuration) -> dict``: the metrics of one seed, JSON-ready, with ``tokens`` (target tokens
  trained on) among them.

:mod:`.runner` runs them and reads their results, :mod:`.records` knows which models on record were trained how.
"""

from .runner import UnknownExperiment, digest, missing_seeds, names, own_folder, read, results_folder, run

__all__ = ["UnknownExperiment", "digest", "missing_seeds", "names", "own_folder", "read", "results_folder", "run"]
