"""The zip that Gradescope takes as an autograder: our grader, this set's hidden tests, and two scripts.

otter-grader could make such a zip, but then otter would decide the grade, in the student's own process.
"""

import tomllib
import zipfile
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]
BOOK = COURSE.parent
GRADER = ("__init__.py", "comparison.py", "grading.py", "gradescope/__init__.py",
          "gradescope/autograder.py", "layers.py", "marking.py", "notebooks.py",
          "questions.py", "runner/__init__.py", "runner/child.py", "runner/exchange.py", "runner/process.py",
          "runner/sandbox.py")  # fmt: skip
SCRIPTS = ("setup.sh", "run_autograder")
LONG_AGO = (2026, 1, 1, 0, 0, 0)  # building again writes the same bytes


def write_gradescope_zip(master, instructor):
    """Write `gradescope.zip` into the instructor's folder, in which `set.py` and its secret already are."""
    texts = {f"coursework/{name}": (COURSE / name).read_text(encoding="utf-8") for name in GRADER}
    texts |= {name: (COURSE / "gradescope" / name).read_text(encoding="utf-8") for name in SCRIPTS}
    texts |= {name: (instructor / name).read_text(encoding="utf-8") for name in ("set.py", "secret.txt")}
    texts["requirements.txt"] = "".join(f"{line}\n" for line in requirements(master.preload))
    if _needs_the_book(master.preload):
        sources = BOOK / "src"
        for path in sorted((sources / "attention_book").rglob("*.py")):
            texts[f"book/{path.relative_to(sources)}"] = path.read_text(encoding="utf-8")
    path = instructor / "gradescope.zip"
    path.touch(mode=0o600)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(texts.items()):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name in SCRIPTS else 0o644) << 16
            archive.writestr(entry, text)
    return path


def requirements(preload):
    """The pinned packages that grading a set with these preloaded modules needs, as pip reads them."""
    needed = {"numpy", "tqdm"} | {name.split(".")[0] for name in preload} - {"attention_book"}
    if _needs_the_book(preload):
        project = tomllib.loads((BOOK / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        needed |= {*project["dependencies"], "scipy"}  # the book's checks use SciPy as an oracle
    lines = [
        line.split("#")[0].strip() for line in (BOOK / "requirements.txt").read_text(encoding="utf-8").splitlines()
    ]
    return [line for line in lines if line.split("==")[0] in needed]


def _needs_the_book(preload):
    return any(name.split(".")[0] == "attention_book" for name in preload)
