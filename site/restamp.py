"""Give results the digest of today's code, without running them again, where it is proved to compute the same.

    python site/restamp.py REVISION
    python site/restamp.py REVISION --run NAME --note TEXT

After a move or a renaming of modules, or when the digest itself is taken in another way, the results of REVISION are
as good as new ones if what they reach computes the same before and after. The proof is by syntax trees: the definitions
that an experiment reaches, in REVISION and now, are compared one by one, with the names in them replaced by what they
stand for (`attention_book.provenance.definitions`). A result is written only if

- it is the result of REVISION, its digest aside;
- it was fresh there, by the digest that REVISION itself takes;
- every definition that it reached there is reached now and is the same, and no other is.

The second form is for a changed computation that is meant to give the same, where the experiment cannot be run again
as it was, because a model that it measured is not at hand. It runs the experiment with both codes on what is at hand,
and restamps the result if all numbers are equal, to the last bit. That is evidence, and weaker than the proof: so the
result says what was done, in an entry `restamped`, and the note says what stood in for what.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import date
from itertools import zip_longest
from pathlib import Path

from attention_book.experiments.runner import ENTRIES
from attention_book.provenance.definitions import Definitions
from attention_book.provenance.source_graph import SourceGraph

DIGESTS = (
    "import json; from attention_book import experiments; "
    "print(json.dumps({name: experiments.digest(name) for name in experiments.names()}))"
)


def module_of(definitions, name):
    """The module of an experiment, in whatever folder of the experiments it is.

    Raises:
        ValueError: if there is none, or more than one.
    """
    end = "." + name.replace("-", "_")
    found = [one for one in definitions.graph.modules if one.endswith(end) and ".experiments." in one]
    found = [one for one in found if set(ENTRIES) <= definitions.module(one).names.keys()]
    if len(found) != 1:
        raise ValueError(f"{len(found)} modules of experiments are called {name}: {', '.join(found) or 'none'}")
    return found[0]


def proof(name, old, new):
    """Compare what an experiment reaches.

    Args:
        name: of the experiment.
        old, new: the `Definitions` of the two states of the package.

    Returns:
        Whether it computes the same, and a sentence: how many definitions were compared, or the first that differs.
    """
    reached = [one.of(module_of(one, name), *ENTRIES) for one in (old, new)]
    if any(one.reads_source for one in reached):
        return False, "it reads sources or docstrings, which trees do not tell"
    for was, now in zip_longest(*(one.texts for one in reached)):
        if was is None or now is None:
            return False, f"{called(was or now)} is reached only {'now' if was is None else 'before'}"
        if was[1] != now[1]:
            return False, f"{called(was)} is not {called(now)} of today, or stands elsewhere"
    return True, f"{len(reached[0].texts)} definitions compared, equal"


RUN = (
    "import importlib, json, sys; found = importlib.import_module(sys.argv[1]); "
    "print('numbers:' + json.dumps({str(seed): found.run_seed(seed, found.CONFIGURATION) for seed in found.SEEDS}))"
)


def numbers_of(folder, module):
    """What an experiment gives, run with the package in a folder: the numbers of each seed."""
    environment = {**os.environ, "PYTHONPATH": str(Path(folder, "src"))}
    done = subprocess.run(
        [sys.executable, "-c", RUN, module], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{module} cannot be run in {folder}:\n{done.stderr}")
    return json.loads(done.stdout.rpartition("numbers:")[2])


def evidence(name, old, new, folders):
    """Run an experiment with both codes.

    Args:
        name: of the experiment.
        old, new: the `Definitions` of the two states of the package.
        folders: of the two states.

    Returns:
        Whether all numbers are equal, and a sentence.
    """
    first, second = (
        numbers_of(folder, module_of(definitions, name))
        for folder, definitions in zip(folders, (old, new), strict=True)
    )
    return first == second, f"run with both codes: {'all numbers are equal' if first == second else 'they differ'}"


def called(text):
    """The target of a text as words."""
    target = text[0]
    return f"{target.module}.{target.name}" if target.kind == "definition" else f"{target.kind} of {target.module}"


def digests_at(folder):
    """The digest of each experiment, as the package in a folder takes it."""
    environment = {**os.environ, "PYTHONPATH": str(Path(folder, "src"))}
    done = subprocess.run([sys.executable, "-c", DIGESTS], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the experiments of that revision cannot be asked for their digests:\n{done.stderr}")
    return json.loads(done.stdout)


def without_digest(path):
    return {key: value for key, value in json.loads(path.read_text(encoding="utf-8")).items() if key != "code_digest"}


def restamp(book, before, run=None, said=""):
    """Restamp the results of a book.

    Args:
        book: its folder.
        before: folder of the same book at the revision whose results are fresh.
        run: the one experiment to run with both codes; if None, all results are restamped that are proved to be fresh.
        said: what the result of that one then says of it.

    Returns:
        The names that could not be restamped.
    """
    old, new = (Definitions(SourceGraph(Path(folder, "src"))) for folder in (before, book))
    known, refused = digests_at(before), []
    for path in sorted(Path(book, "results").glob("*.json")):
        name, was = path.stem, Path(before, "results", path.name)
        if run not in (None, name):
            continue
        today = new.digest(new.of(module_of(new, name), *ENTRIES))
        if not was.exists() or without_digest(was) != without_digest(path):
            same, why = False, "it is not the result of that revision"
        elif json.loads(was.read_text(encoding="utf-8"))["code_digest"] != known.get(name):
            same, why = False, "it was stale already"
        elif run:
            same, why = evidence(name, old, new, (before, book))
        else:
            same, why = proof(name, old, new)
        print(f"{name}: {why}{f'; {today}' if same else ': NOT restamped'}")
        if not same:
            refused.append(name)
            continue
        text = path.read_text(encoding="utf-8")
        text = re.sub(r'("code_digest": ")\w*"', rf'\g<1>{today}"', text)
        if run:
            text = json.dumps({**json.loads(text), "restamped": said}, indent=1, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
    return refused


BOOK = Path(__file__).resolve().parents[1]


def main(revision, run=None, note=""):
    said = f"{date.today()}: run with the code of {revision} and with that of this day, all numbers are equal; {note}"
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder, "before")
        subprocess.run(["git", "worktree", "add", "--detach", before, revision], cwd=BOOK, check=True)
        try:
            return 1 if restamp(BOOK, before, run, said) else 0
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", before], cwd=BOOK, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision")
    parser.add_argument("--run", metavar="NAME", help="an experiment to run with both codes")
    parser.add_argument("--note", default="", help="what stood in for what")
    options = parser.parse_args()
    if bool(options.run) != bool(options.note):
        parser.error("--run and --note go together: the result says what was run in place of what")
    sys.exit(main(options.revision, options.run, options.note))
