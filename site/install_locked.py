"""Install requirements files as `pip install --requirement` does, each package only with a digest that is on record.

Usage: python site/install_locked.py requirements.txt [more files] [options of pip]

pip itself first says what it would install on this system, with the versions of requirements.hashes; then exactly that
is installed with `--require-hashes`. pip alone cannot do it: a constraint file with digests refuses every requirement
that has none, and a list of everything would bring the CUDA libraries to machines that have no use for them.

The exception is torch: its CPU builds (2.13.0+cpu) lie on PyTorch's own index and are other files than the release of
that version. A build whose digest is not on record is taken with the digest that its own index states, and said so.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HASHES = Path(__file__).parents[1] / "requirements.hashes"
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
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
        stated = item["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        digests = known.get((name, plain(release)), set())
        if label and name in BUILDS and digests and stated and stated not in digests:
            notes.append(f"{name} {version}: this build's digest is not on record; taken as its index states it.")
            digests = {stated}
        if digests:
            lines.append(" ".join([f"{name}=={version}", *(f"--hash=sha256:{digest}" for digest in sorted(digests))]))
        else:
            unknown.append(f"{name} {version}")
    if unknown:
        raise ValueError(
            f"not installed, for requirements.hashes has no digest of {', '.join(unknown)}: "
            "run `make lock`, or report it with your system and Python version"
        )
    return lines, notes


def install(arguments):
    """Resolve, look the digests up, install; returns pip's exit status."""
    files = [part for name in arguments if name.endswith(".txt") for part in ("--requirement", name)]
    options = [name for name in arguments if not name.endswith(".txt")]
    text = HASHES.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        constraint, report, exact = (Path(folder, name) for name in ("pins.txt", "report.json", "exact.txt"))
        constraint.write_text(without_hashes(text), encoding="utf-8")
        dry = ["--dry-run", "--report", report, "--constraint", constraint]
        status = subprocess.run([*PIP, *options, *dry, *files]).returncode
        if status:
            return status
        try:
            lines, notes = pinned(json.loads(report.read_text(encoding="utf-8")), recorded(text))
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        print("".join(f"note: {note}\n" for note in notes), end="", file=sys.stderr)
        if not lines:
            return 0  # all is there already
        exact.write_text("\n".join(lines), encoding="utf-8")
        return subprocess.run([*PIP, *options, "--no-deps", "--require-hashes", "--requirement", exact]).returncode


if __name__ == "__main__":
    sys.exit(install(sys.argv[1:]))
