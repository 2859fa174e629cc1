"""Do the half-right submissions of a set lose the same points, whatever the secret draws? For whoever writes a set.

    PYTHONPATH=src:. python tests/coursework/sets/try_secrets.py counting 12

Prints each mistake that kept other points than `mistakes/NAME.py` says: there a hidden test sees it by chance alone.
"""

import sys
import tempfile
from pathlib import Path

from test_sets import marks_of, mistakes, points, with_mistake

from coursework.building.course import build_set
from coursework.layers import try_walls


def escapes(name, count):
    """For each of `count` secrets the mistakes that kept other points than they should: (variant, mistake, points)."""
    with tempfile.TemporaryDirectory() as base:
        folder, walls = Path(base, "class"), try_walls([base])
        walls.require()
        folder.mkdir()
        for number in range(count):
            built = build_set(name, base, f"{number}")  # each build draws a secret, and these are other numbers too
            full = (built / "instructor" / "full-submission.ipynb").read_text(encoding="utf-8")
            for mistake, (question, pattern, replacement, *_) in mistakes(name).items():
                (folder / f"{mistake}.ipynb").write_text(with_mistake(full, question, pattern, replacement))
            marks = marks_of(built, folder, walls)
            for mistake, (question, *_, left) in mistakes(name).items():
                if (kept := points(marks[f"{mistake}.ipynb"])[question]) != left:
                    yield number, mistake, kept


if __name__ == "__main__":
    found = 0
    for number, mistake, kept in escapes(sys.argv[1], int(sys.argv[2])):
        found += 1
        print(f"secret {number}: {mistake} kept {kept:g} points")
    print(f"{found} surprises")
