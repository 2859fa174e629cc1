"""Contenders side by side: each in a process of its own, one task at a time, round after round.

A contender is a program. It writes one line of JSON when it is ready, `{"versions": …}` or `{"missing": why}`. Then it
reads a task per line, JSON, and answers with one line of JSON each: `{"seconds": …, "wall": …, "outputs": […]}`.
"""

import json
import os
import statistics
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


class Contender:
    """A program that has been started, and is asked until it is closed.

    Attributes:
        missing: why it cannot take part, or None.
    """

    def __init__(self, name: str, command: list[str]):
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD}
        )
        first = self._line()
        self.missing, self.versions = first.get("missing"), first.get("versions", {})

    def _line(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended with exit status {self.process.wait()} and said why above")
        return json.loads(line)

    def ask(self, task: dict) -> dict:
        """Hand over one task and wait for the answer."""
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        return self._line()

    def close(self) -> None:
        """Let it end."""
        self.process.stdin.close()
        self.process.wait()


def in_rounds(contenders: list[Contender], task: dict, rounds: int) -> dict[str, list[dict]]:
    """The answers of each contender: every round asks each once, in turn, from another one on each time.

    One round more is run first and thrown away.
    """
    found = {one.name: [] for one in contenders}
    for number in range(rounds + 1):
        start = number % len(contenders)
        for one in contenders[start:] + contenders[:start]:
            answer = one.ask(task)
            if number:
                found[one.name].append(answer)
    return found


def rate(answers: Iterable[dict], clock: str) -> dict[str, float]:
    """Tokens per second by `seconds` (processor time) or `wall`: median, least, most."""
    rates = [sum(map(len, one["outputs"])) / one[clock] for one in answers]
    return {"median": statistics.median(rates), "least": min(rates), "most": max(rates)}


def share_of_equal(outputs: list, others: list) -> float:
    """The share of sentences for which two contenders gave the same tokens."""
    if len(outputs) != len(others) or not outputs:
        raise ValueError(f"{len(outputs)} outputs cannot be compared with {len(others)}")
    return sum(one == other for one, other in zip(outputs, others, strict=True)) / len(outputs)


def measured_together(
    commands: dict[str, list[str]], measure: Callable[[list[Contender]], Any]
) -> tuple[Any, dict[str, Any]]:
    """Start the contenders, print who is missing and why, measure the others, and let all end.

    Args:
        commands: by name, each contender's program with its arguments.
        measure: what is done with those that are there.

    Returns:
        What ``measure`` gives; and the circumstances, for the record.
    """
    from attention_book.provenance import environment

    before = os.getloadavg()[0]
    started = [Contender(name, command) for name, command in commands.items()]
    missing = {one.name: one.missing for one in started if one.missing}
    for name, why in missing.items():
        print(f"{name}: {why}")
    there = [one for one in started if not one.missing]
    try:
        found = measure(there)
    finally:
        for one in started:
            one.close()
    return found, {
        "threads": 1,
        "load": {"before": before, "after": os.getloadavg()[0], "processors": os.cpu_count()},
        "machine": environment.machine(),
        "versions": {**environment.versions(), **{k: v for one in there for k, v in one.versions.items()}},
        "date": environment.today(),
        "missing": missing,
    }


def write(path: Path, record: dict[str, Any]) -> None:
    """Write a record, and say where it is and how busy the machine was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    load = record["load"]
    print(f"\nwritten to {path}; load {load['before']:.1f} before, {load['after']:.1f} after")
