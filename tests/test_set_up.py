"""Setting up: what the Makefile would run, what installing says, and what git is told to leave alone."""

import io
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import install
import pytest

BOOK = Path(__file__).parents[1]
PIN = re.search(r"^torch==[\d.]+", (BOOK / "requirements.txt").read_text(encoding="utf-8"), re.M)[0]
CPU = re.compile(
    rf"install_locked\.py .*--no-deps --index-url https://download\.pytorch\.org/whl/cpu {re.escape(PIN)}$", re.M
)


def dry_run(*arguments):
    command = ["make", "--dry-run", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=BOOK, capture_output=True, text=True, check=True).stdout


def test_the_cpu_build_of_torch_is_installed_first_in_the_pinned_version(tmp_path):
    commands = dry_run("setup", "TORCH=cpu", f"VENV={tmp_path / 'new'}")
    assert CPU.search(commands).start() < commands.index("install_locked.py requirements.txt")
    assert not CPU.search(dry_run("setup", f"VENV={tmp_path / 'new'}"))


def test_the_cpu_build_is_kept_by_every_later_set_up(tmp_path):
    (tmp_path / "bin").mkdir()
    for name in ("bin/python", ".torch-cpu"):
        (tmp_path / name).touch()
    assert not CPU.search(dry_run("setup", f"VENV={tmp_path}"))  # it is there, and plain torch==… is satisfied by it
    (tmp_path / ".ready").touch()
    newer = dry_run("setup", f"VENV={tmp_path}", "--what-if=requirements.txt")  # such as another version
    assert CPU.search(newer).start() < newer.index("install_locked.py requirements.txt")


@pytest.mark.parametrize("target", [".ready", ".ready-dev", ".torch-cpu"])
def test_everything_from_elsewhere_is_installed_by_digest_unless_the_reader_says_otherwise(tmp_path, target):
    commands = dry_run(str(tmp_path / target), f"VENV={tmp_path}").splitlines()
    installing = [line for line in commands if re.search(r"\bpip\b|install", line) and "python3-venv" not in line]
    own = [line for line in installing if line.endswith("site/install.py")]
    assert installing and all("site/install_locked.py " in line for line in installing if line not in own)
    assert "--unchecked" not in "".join(installing)
    assert re.search(r"pip install .*--require-hashes --requirement site/uv\.txt$", dry_run("lock"), re.M)
    unchecked = dry_run(str(tmp_path / target), f"VENV={tmp_path}", "UNCHECKED=1").splitlines()
    assert sum("site/install_locked.py --unchecked " in line for line in unchecked) == len(installing) - len(own)


def test_the_books_own_package_is_built_by_what_was_installed_by_digest():
    """Without a network, then: nothing is fetched for it, not even setuptools."""
    required = tomllib.loads((BOOK / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    pins = (BOOK / "requirements.txt").read_text(encoding="utf-8").splitlines()
    locked = (BOOK / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert required and set(required) <= set(pins) & set(locked)
    assert {"--no-deps", "--no-build-isolation"} <= set(install.OWN)


@pytest.mark.parametrize("target", ["book", "page", "setup", "distclean", "new-page"])
def test_the_help_lists_what_a_newcomer_needs(target):
    done = subprocess.run(["make", "help"], cwd=BOOK, capture_output=True, text=True, check=True)
    assert re.search(rf"^  make {target} ", done.stdout, re.M)


@pytest.mark.parametrize("name", [".venv", "_build", "build", "notebooks"])
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_git_leaves_alone_what_is_made_here(tmp_path, name, kind):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    book = tmp_path / "book"
    book.mkdir()
    shutil.copy(BOOK / ".gitignore", book)
    if kind == "link":
        (book / name).symlink_to(elsewhere)
    else:
        shutil.copytree(elsewhere, book / name)
    (book / "chapters" / ".ipynb_checkpoints").mkdir(parents=True)
    (book / "chapters" / ".ipynb_checkpoints" / "page.md").touch()
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=book, check=True)
    tracked = subprocess.run(["git", "ls-files"], cwd=book, capture_output=True, text=True, check=True).stdout
    assert tracked.split() == [".gitignore"]


SAID = """\
Collecting torch==2.13.0
  Downloading torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl.metadata (29 kB)
Downloading torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (190.4 MB)
Progress 95200000 of 190400000
Using cached numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl (16.9 MB)
WARNING: something is odd
Installing collected packages: torch, numpy
Successfully installed numpy-2.4.6 torch-2.13.0
"""


def told(live):
    out = io.StringIO()
    steps = install.Steps(out, live)
    for line in SAID.splitlines():
        steps.line(line)
    return out.getvalue()


def test_installing_names_what_is_large_and_counts_the_rest():
    assert told(live=False).splitlines() == [
        "  downloading torch 2.13.0, 190.4 MB",
        "WARNING: something is odd",
        "  207 MB in 2 packages. Unpacking 2 packages; the largest take a minute or two …",
    ]


def test_on_a_terminal_installing_says_how_far_it_is():
    assert "torch 2.13.0, 190.4 MB: 50 %" in told(live=True) and "\r" in told(live=True)
    assert "numpy" in told(live=True)


def test_an_install_that_fails_says_why_and_fails():
    out = io.StringIO()
    status, said = install.install(["--no-index", "--dry-run", "no-such-package-of-this-book"], "Trying", out, False)
    assert status != 0 and "no-such-package-of-this-book" in "".join(said)
    assert "no-such-package-of-this-book" in out.getvalue() and "pip failed" in out.getvalue()
