"""Contenders side by side: each in a process of its own, one task at a time, round after round.

A contender is a program. It writes one line of JSON when it is ready, `{"versions": …}` or `{"missing": why}`. Then it
reads a task per line, JSON, and answers with one line of JSON each: `{"seconds": …, "wall": …, "outputs": […]}`.
"""

import json
import os
import statistics
import subprocess
from collections.abc import Iterable

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
