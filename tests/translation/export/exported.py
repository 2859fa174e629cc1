"""What the tests of both runtimes share: sentences, a fixture's odd model, and a run of a README's own program."""

import json
import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from attention_book.data.own_sentences import own_sentences

ODD = {"norm": "post", "positions": "rotary", "tie_embeddings": False, "bias": False, "d_k": 12}
"""A model that differs from the shipped one wherever a configuration can, for `tiny_translator`."""

FORTY = [
    sentence.text
    for _, kind in groupby(own_sentences(), key=lambda sentence: sentence.kind)
    for sentence in list(kind)[:8]
]


def run_program(folder: Path, batches):
    """Run the README's program as it stands, in its folder; then let it translate batches.

    Returns:
        What the program printed, the translations of each batch, and the names of all modules that it imported.
    """
    (program,) = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(encoding="utf-8"), re.S)
    more = "import sys\nprint(json.dumps([[translate(b) for b in json.load(sys.stdin)], sorted(sys.modules)]))\n"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", program + more],
        cwd=folder,
        env={**environment, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"},
        input=json.dumps(batches),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    *printed, last = done.stdout.splitlines()
    translations, modules = json.loads(last)
    return printed, translations, modules


def check_about(folder: Path, kind, config):
    """`export.json` names the ids and sizes of the model, and the digest of each other file."""
    import hashlib

    about = json.loads((folder / "export.json").read_text(encoding="utf-8"))
    assert about["kind"] == kind
    for name in ("vocab_size", "pad_id", "bos_id", "eos_id", "max_len", "n_layers", "n_heads"):
        assert about[name] == getattr(config, name)
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    del digests["export.json"]
    assert about["files"] == digests
