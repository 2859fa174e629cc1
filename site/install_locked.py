"""Install requirements files as `pip install --requirement` does, each package only with a digest that is on record.

Usage: python site/install_locked.py [--unchecked] requirements.txt [more files, or name==version] [options of pip]

pip itself first says what it would install on this system, with the versions of requirements.hashes; then exactly that
is installed with `--require-hashes`. pip alone cannot do it: a constraint file with digests refuses every requirement
that has none, and a list of everything would bring the CUDA libraries to machines that have no use for them.

The exception is torch: its CPU builds (2.13.0+cpu) lie on PyTorch's own index and are other files than the release of
that version. A build whose digest is not on record is taken with the digest that its own index states, or with that of
the file if it lies on this machine, and said so.

Only wheels are installed: to build a package from its source would run its code, and bring tools without a digest.
Where a package has no wheel that is on record (another processor, a Python that is newer than the record), nothing is
installed, and it is said. `--unchecked` (`make setup UNCHECKED=1`) is the way out, and the reader's own choice: with it
versions are those of requirements.hashes, and no digest is compared.
"""

import hashlib
import json
import re
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import install as pip

HASHES = Path(__file__).parents[1] / "requirements.hashes"
PIP = Path(__file__).with_name("pip.txt")
WHEELS = ("--only-binary", ":all:")
UNCHECKED = "--unchecked"
WAY_OUT = "To install by version alone, with no digest compared: make setup UNCHECKED=1."
BUILDS = {"torch"}  # what is published in builds of its own, with a label such as +cpu after the version


def logical_lines(text):
    """The entries of a requirements file, each on one line, without comments."""
    joined = text.replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in joined if line.strip() and not line.startswith("#")]


def without_hashes(text):
    """The pins alone, for use as a constraint."""
    return "\n".join(re.sub(r" --hash=\S+", "", line) for line in logical_lines(text)) + "\n"


def recorded(text):
    """(name, version) to the set of SHA-256 digests."""
    known = {}
    for line in logical_lines(text):
        name, version = re.match(r"([\w.-]+)==([^\s;]+)", line).groups()
        known.setdefault((canonical(name), plain(version)), set()).update(
            re.findall(r"--hash=sha256:([0-9a-f]{64})", line)
        )
    return known


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def plain(version):
    """A version as two tools agree on it: 2.007 is 2.7, and 3.0.0 is 3."""
    parts = [str(int(part)) if part.isdigit() else part for part in version.split(".")]
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts)


def pinned(report, known):
    """What pip would install as lines with digests, and what is to be said about them.

    Args:
        report: pip's report of a dry run.
        known: from `recorded`.

    Raises:
        ValueError: if a package is not on record; the message names all of them.
    """
    lines, notes, unknown = [], [], []
    for item in report["install"]:
        name, version = canonical(item["metadata"]["name"]), item["metadata"]["version"]
        release, _, label = version.partition("+")
        digests = known.get((name, plain(release)), set())
        stated, source = stated_digest(item["download_info"]) if label and name in BUILDS else (None, "")
        if digests and stated and stated not in digests:
            notes.append(f"{name} {version}: this build's digest is not on record; taken as {source}.")
            digests = {stated}
        if digests:
            lines.append(" ".join([f"{name}=={version}", *(f"--hash=sha256:{digest}" for digest in sorted(digests))]))
        else:
            unknown.append(f"{name} {version}")
    if unknown:
        raise ValueError(
            f"nothing was installed, for requirements.hashes has no digest of {', '.join(unknown)}. After a change of "
            f"requirements*.txt, run `make lock`; else report it with your system and Python version. {WAY_OUT}"
        )
    return lines, notes


def stated_digest(download):
    """The SHA-256 that pip's report states, or, where older pips state none, that of a file on this machine; and whose
    it is, in words. (None, "") if there is neither."""
    address = urlsplit(download.get("url", ""))
    path = Path(url2pathname(address.path))
    stated = download.get("archive_info", {}).get("hashes", {}).get("sha256")
    if address.scheme == "file" and path.is_file():
        return stated or hashlib.sha256(path.read_bytes()).hexdigest(), "the file on this machine has it"
    return (stated, "its index states it") if stated else (None, "")


def sorted_out(arguments):
    """What to install, as pip takes it; options of pip; and a name for all of it."""
    pins = [part for part in arguments if re.match(r"[A-Za-z][\w.-]*==", part)]
    files = [part for part in arguments if part.endswith(".txt")]
    options = [part for part in arguments if part not in {*pins, *files, UNCHECKED}]
    wanted = [*pins, *(part for name in files for part in ("--requirement", name))]
    return wanted, options, ", ".join([*files, *pins])


def explained(said):
    """What to tell about a failure to install by digest, from what pip said; None if it was something else."""
    text = "".join(said)
    python = ".".join(map(str, sys.version_info[:2]))
    if "DO NOT MATCH THE HASHES" in text:
        named = re.findall(r"^\s+(\S+==\S+) .*from ", text.partition("DO NOT MATCH THE HASHES")[2], re.M)
        return (
            f"nothing was installed: what came as {', '.join(named) or 'one of the packages'} is not the file on "
            "record in requirements.hashes. It was damaged or exchanged on the way, lay damaged in pip's cache (`pip "
            "cache purge` empties it), or is a build of the index that pip was told to use. Try again first, then "
            f"another index. {WAY_OUT}"
        )
    if "No matching distribution" in text or "ResolutionImpossible" in text:
        return (
            "nothing was installed: the index could not be reached, lacks a version that is on record, or has no wheel "
            f"of it for Python {python} on this system; what pip said, above, tells which. The record was made with "
            "Python 3.11, which is worth a try for the last: make distclean, then make setup "
            f"PYTHON=/path/to/python3.11. {WAY_OUT}"
        )
    return None


def fail(status, said, err):
    if told := explained(said):
        print(f"error: {told}", file=err or sys.stderr)
    return status


def install(arguments, out=None, err=None):
    """Resolve, look the digests up, install; returns an exit status, 0 if all is there."""
    wanted, options, name = sorted_out(arguments)
    text = HASHES.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        constraint, report, exact = (Path(folder, name) for name in ("pins.txt", "report.json", "exact.txt"))
        constraint.write_text(without_hashes(text), encoding="utf-8")
        pins = ["--constraint", str(constraint)]
        if UNCHECKED in arguments:
            print("note: UNCHECKED: packages are installed by version; no digest is compared.", file=err or sys.stderr)
            return pip.install([*options, *pins, *wanted], f"Installing {name}, unchecked", out)[0]
        dry = [*WHEELS, "--dry-run", "--report", str(report)]
        status, said = pip.install([*options, *dry, *pins, *wanted], f"Looking up what {name} needs here", out)
        if status:
            return fail(status, said, err)
        try:
            lines, notes = pinned(json.loads(report.read_text(encoding="utf-8")), recorded(text))
        except ValueError as error:
            print(f"error: {error}", file=err or sys.stderr)
            return 1
        print("".join(f"note: {note}\n" for note in notes), end="", file=err or sys.stderr)
        if not lines:
            return 0  # all is there already
        exact.write_text("\n".join(lines), encoding="utf-8")
        by_digest = [*WHEELS, "--no-deps", "--require-hashes", "--requirement", str(exact)]
        title = f"Installing {len(lines)} package{'s' if len(lines) > 1 else ''} by digest"
        status, said = pip.install([*options, *by_digest], title, out)
        return fail(status, said, err)


def renew_pip(out=None, err=None):
    """Bring pip to the version of pip.txt, unless it is as new; if that fails, an older one will do, only slower."""
    (wanted,) = recorded(PIP.read_text(encoding="utf-8"))
    if tuple(map(int, wanted[1].split("."))) <= tuple(map(int, re.findall(r"\d+", version("pip"))[:3])):
        return
    by_digest = [*WHEELS, "--no-deps", "--require-hashes", "--requirement", str(PIP)]
    if pip.install(by_digest, f"Bringing pip {version('pip')} to {wanted[1]}", out)[0]:
        print("note: pip stays as it is, which takes a minute more.", file=err or sys.stderr)


if __name__ == "__main__":
    renew_pip()
    sys.exit(install(sys.argv[1:]))
