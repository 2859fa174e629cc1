"""Crash anywhere, same tensors: a run dies at every file operation and at random moments, and is taken up again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="operations are told by Linux's /proc"),
]


@pytest.fixture(scope="module")
def deaths(tmp_path_factory):
    """What `crashing_run.py` tells of the deaths of its run."""
    command = [sys.executable, "-W", "ignore", str(HERE / "crashing_run.py"), str(tmp_path_factory.mktemp("crashes"))]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=3000, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_run_that_dies_at_any_file_operation_ends_as_the_undisturbed_run(deaths):
    points = deaths["points"]
    assert points["wrong"] == []
    writes = sum(name == "write" for name, _ in points["operations"])
    assert points["operations"][-1][0] != "write"
    assert points["died"] == {"before": len(points["operations"]), "middle": writes, "after": writes + 1}
    assert points["averaged"], "the mean of the snapshots was not used, so that a wrong one would not be seen"


def test_the_operations_are_those_on_every_file_that_a_run_writes(deaths):
    operations = {tuple(operation) for operation in deaths["points"]["operations"]}
    folder, output = ("tokenizer.json", "checkpoint.safetensors"), ("config.json", "tokenizer.json", "results.json")
    files = [f"/.{name}.part" for name in folder]
    files += [f"/translator/.{name}.part" for name in (*output, "model.safetensors")]
    snapshots = {place for name, place in operations if name == "replace" and place.startswith("/.weights-")}
    assert len(snapshots) == 4  # one more than is kept, so that one is removed
    assert {
        (name, place) for place in [*files, *snapshots] for name in ("open", "write", "close", "replace")
    } <= operations
    assert any(name == "unlink" and place.startswith("/weights-") for name, place in operations)
    assert {("flock", f"{place}/training.lock") for place in ("", "/translator")} <= operations


def test_a_run_killed_at_random_moments_ends_as_the_undisturbed_run(deaths):
    assert deaths["kills"]["wrong"] == []
    assert deaths["kills"]["killed"] >= 20
