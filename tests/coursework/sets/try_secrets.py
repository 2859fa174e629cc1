"""Do the half-right submissions of a set lose the same points, whatever the secret draws? For whoever writes a set.

    PYTHONPATH=src:. python tests/coursework/sets/try_secrets.py counting 30

Prints each mistake that kept other points than `mistakes/NAME.py` says: there a hidden test sees it by chance alone.
More points are an escape, and `test_secrets.py` refuses it; fewer only say that one more test can see the mistake.
The answers run in this process, since they are ours; `test_sets.py` runs them as submissions, under one secret.
"""

import contextlib
import io
import re
import resource
import signal
import sys
import tempfile
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

from coursework.building.course import SETS
from coursework.building.grader_file import write_grader_file
from coursework.building.markers import solved
from coursework.building.master import read_master
from coursework.building.variants import with_variant
from coursework.marking import Marker
from coursework.questions import load_set
from coursework.runner.exchange import decode, encode

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
SECONDS = 2  # of computing, for one call; the mistakes that are too slow take minutes


class TooLong(RuntimeError):
    """A call has used up its seconds."""


def kept(name, mistakes, numbers):
    """What each mistake keeps under other secrets and other variants: (number, mistake, points kept) one by one.

    Args:
        name: the set.
        mistakes: as in `mistakes/NAME.py`.
        numbers: each names a variant of the set's numbers, and a secret that draws other inputs.
    """
    for number in numbers:
        master = with_variant(read_master(SETS / name / "master.md"), str(number))
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = write_grader_file(master, Path(folder))
            problem_set = replace(load_set(path), secret=f"another secret, number {number}")
        drawn = Marker(problem_set)._draws
        tests = {question.id: question.tests for question in problem_set.questions}
        for mistake, (question, pattern, replacement, *_) in mistakes.items():
            defined = _answers(master, question, pattern, replacement)
            wrong = set()
            for index, (function, arguments), expected in drawn[question]:
                if index not in wrong and _is_wrong(tests[question][index], defined[function], arguments, expected):
                    wrong.add(index)
            yield number, mistake, sum(t.points for index, t in enumerate(tests[question]) if index not in wrong)


def _answers(master, question, pattern, replacement):
    """What the set's own cells and the changed answer define."""
    defined = {"__name__": "answer"}
    for part in master.parts:
        if part.role == "code":
            exec(_compiled(part.source), defined)
    changed = 0
    for part in master.of("question", question):
        source, count = re.subn(pattern, replacement, solved(part.source))
        exec(_compiled(source), defined)
        changed += count
    assert changed, f"{pattern!r} is nowhere in the answer to {question}"
    return defined


@cache
def _compiled(source):
    return compile(source, "answer", "exec")


def _is_wrong(test, function, arguments, expected):
    def stop(*_):
        raise TooLong

    old, limits = signal.signal(signal.SIGPROF, stop), resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    try:
        resource.setrlimit(resource.RLIMIT_AS, (in_use + (1 << 30), limits[1]))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = decode(encode(function(*(decode(one, tensors=True) for one in arguments))))
        return test.compare(expected, answer, test.tolerance) is not None
    except Exception:
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
        resource.setrlimit(resource.RLIMIT_AS, limits)


if __name__ == "__main__":
    from test_sets import mistakes as mistakes_of

    name, count = sys.argv[1], int(sys.argv[2])
    known, escaped, fewer = mistakes_of(name), 0, 0
    for number, mistake, points in kept(name, known, range(count)):
        should = known[mistake][4]
        if points != should:
            print(f"secret {number}: {mistake} kept {points:g} points, not {should:g}")
        escaped, fewer = escaped + (points > should), fewer + (points < should)
    print(f"{len(known)} mistakes under {count} secrets: {escaped} escapes, {fewer} times fewer points")
